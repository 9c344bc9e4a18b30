// everruns/bashkit issue #415 (finding M-1): `append_file` looks at the file and the limits under a read lock, drops it, and
// acts on that under a write lock: two appends to a new file both create it (one is lost), and both pass the size limits.
use std::collections::HashMap;
use std::io::{Error as IoError, ErrorKind, Result};
use std::path::{Path, PathBuf};
use std::sync::RwLock;
use std::time::SystemTime;

#[derive(Debug, Clone)]
pub struct FsLimits {
    pub max_file_size: u64,
    pub max_total_bytes: u64,
    pub max_file_count: u64,
}

impl FsLimits {
    fn check_file_size(&self, size: u64) -> Result<()> {
        if size > self.max_file_size {
            return Err(IoError::other(format!("file too large: {size} bytes exceeds {}", self.max_file_size)));
        }
        Ok(())
    }

    fn check_total_bytes(&self, total: u64) -> Result<()> {
        if total > self.max_total_bytes {
            return Err(IoError::other(format!("filesystem full: {total} bytes exceeds {}", self.max_total_bytes)));
        }
        Ok(())
    }
}

#[derive(Debug, Clone)]
pub struct Metadata {
    pub size: u64,
    pub mode: u32,
    pub modified: SystemTime,
}

enum FsEntry {
    File { content: Vec<u8>, metadata: Metadata },
    Directory,
}

type Entries = HashMap<PathBuf, FsEntry>;

pub struct InMemoryFs {
    entries: RwLock<Entries>,
    limits: FsLimits,
}

fn total_bytes(entries: &Entries) -> u64 {
    entries.values().map(|e| if let FsEntry::File { content, .. } = e { content.len() as u64 } else { 0 }).sum()
}

fn new_file(content: &[u8]) -> FsEntry {
    let metadata = Metadata { size: content.len() as u64, mode: 0o644, modified: SystemTime::now() };
    FsEntry::File { content: content.to_vec(), metadata }
}

impl InMemoryFs {
    pub fn with_limits(limits: FsLimits) -> Self {
        let entries = HashMap::from([(PathBuf::from("/"), FsEntry::Directory), (PathBuf::from("/tmp"), FsEntry::Directory)]);
        Self { entries: RwLock::new(entries), limits }
    }

    fn check_write_limits(&self, entries: &Entries, path: &Path, len: usize) -> Result<()> {
        self.limits.check_file_size(len as u64)?;
        let old = match entries.get(path) {
            Some(FsEntry::File { content, .. }) => content.len() as u64,
            Some(FsEntry::Directory) => return Err(IoError::other("is a directory")),
            None if entries.len() as u64 >= self.limits.max_file_count => return Err(IoError::other("too many files")),
            None => 0,
        };
        self.limits.check_total_bytes(total_bytes(entries) - old + len as u64)
    }

    pub async fn read_file(&self, path: &Path) -> Result<Vec<u8>> {
        match self.entries.read().unwrap().get(path) {
            Some(FsEntry::File { content, .. }) => Ok(content.clone()),
            Some(FsEntry::Directory) => Err(IoError::other("is a directory")),
            None => Err(IoError::new(ErrorKind::NotFound, "file not found")),
        }
    }

    pub async fn write_file(&self, path: &Path, content: &[u8]) -> Result<()> {
        let mut entries = self.entries.write().unwrap();
        self.check_write_limits(&entries, path, content.len())?;
        entries.insert(path.to_path_buf(), new_file(content)); //~
        Ok(())
    }

    pub async fn append_file(&self, path: &Path, content: &[u8]) -> Result<()> {
        let should_create = {
            let entries = self.entries.read().unwrap();
            match entries.get(path) { //~
                Some(FsEntry::File { content: existing, .. }) => {
                    self.limits.check_file_size((existing.len() + content.len()) as u64)?;
                    self.limits.check_total_bytes(total_bytes(&entries) + content.len() as u64)?;
                    false
                }
                Some(FsEntry::Directory) => return Err(IoError::other("is a directory")),
                None => true,
            }
        };
        if should_create {
            return self.write_file(path, content).await;
        }
        let mut entries = self.entries.write().unwrap();
        match entries.get_mut(path) {
            Some(FsEntry::File { content: existing, metadata }) => {
                existing.extend_from_slice(content); //~
                metadata.size = existing.len() as u64;
                metadata.modified = SystemTime::now();
                Ok(())
            }
            _ => Err(IoError::new(ErrorKind::NotFound, "file not found")),
        }
    }
}
