// ternbusty/monaka-fs PR #101: find says NotFound, create then says AlreadyExists: open(O_CREAT) and mkdir_p fail although they must succeed.
use parking_lot::RwLock;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::Arc;

pub const O_CREAT: u32 = 0x40;

pub type Fd = u32;
type InodeId = u64;
type InodeRef = Arc<RwLock<Inode>>;

#[derive(Debug, PartialEq, Eq)]
pub enum FsError {
    NotFound,
    AlreadyExists,
    NotADirectory,
    InvalidArgument,
}

enum FileContent {
    File,
    Dir(BTreeMap<String, InodeId>),
}

struct Inode {
    id: InodeId,
    content: FileContent,
}

pub struct Fs {
    inodes: RwLock<HashMap<InodeId, InodeRef>>,
    next_inode: AtomicU64,
    fd_table: RwLock<HashMap<Fd, InodeId>>,
    next_fd: AtomicU32,
    root: InodeRef,
}

impl Default for Fs {
    fn default() -> Self {
        Fs {
            inodes: RwLock::new(HashMap::new()),
            next_inode: AtomicU64::new(1),
            fd_table: RwLock::new(HashMap::new()),
            next_fd: AtomicU32::new(3),
            root: Arc::new(RwLock::new(Inode { id: 0, content: FileContent::Dir(BTreeMap::new()) })),
        }
    }
}

impl Fs {
    fn find_inode(&self, parent_inode: &InodeRef, name: &str) -> Result<InodeRef, FsError> {
        match &parent_inode.read().content {
            FileContent::Dir(entries) => {
                let inode_id = entries.get(name).ok_or(FsError::NotFound)?;
                self.inodes.read().get(inode_id).cloned().ok_or(FsError::NotFound)
            }
            FileContent::File => Err(FsError::NotADirectory),
        }
    }

    fn create_inode(&self, parent_inode: &InodeRef, name: &str, content: FileContent) -> Result<InodeRef, FsError> {
        let mut parent = parent_inode.write();
        let FileContent::Dir(entries) = &mut parent.content else {
            return Err(FsError::NotADirectory);
        };
        if entries.contains_key(name) {
            return Err(FsError::AlreadyExists);
        }
        let id = self.next_inode.fetch_add(1, Ordering::Relaxed);
        let inode = Arc::new(RwLock::new(Inode { id, content }));
        entries.insert(name.to_string(), id);
        self.inodes.write().insert(id, inode.clone());
        Ok(inode)
    }

    pub fn open_path_with_flags(&self, path: &str, flags: u32) -> Result<Fd, FsError> {
        let comps: Vec<&str> = path.split('/').filter(|s| !s.is_empty()).collect();
        let (filename, parents) = comps.split_last().ok_or(FsError::InvalidArgument)?;
        let mut current_inode = self.root.clone();
        for comp in parents {
            current_inode = self.find_inode(&current_inode, comp)?;
        }
        let file_inode = match self.find_inode(&current_inode, filename) {
            Ok(inode) => inode,
            Err(FsError::NotFound) if flags & O_CREAT != 0 => {
                self.create_inode(&current_inode, filename, FileContent::File)?
            }
            Err(e) => return Err(e),
        };
        let inode_id = file_inode.read().id;
        let fd = self.next_fd.fetch_add(1, Ordering::Relaxed);
        self.fd_table.write().insert(fd, inode_id);
        Ok(fd)
    }

    pub fn mkdir_p(&self, path: &str) -> Result<(), FsError> {
        let mut current_inode = self.root.clone();
        for comp in path.split('/').filter(|s| !s.is_empty()) {
            current_inode = match self.find_inode(&current_inode, comp) {
                Ok(inode) => inode,
                Err(FsError::NotFound) => {
                    self.create_inode(&current_inode, comp, FileContent::Dir(BTreeMap::new()))?
                }
                Err(e) => return Err(e),
            };
        }
        Ok(())
    }
}
