// rust-lang/rust (PR #69266), repaired: the address space is allocated with a compare-exchange loop, and files are kept sorted by their start.
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, RwLock};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BytePos(pub u32);

#[derive(Debug)]
pub struct OffsetOverflowError;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FileName {
    Real(PathBuf),
    Anon(u64),
}

pub trait FileLoader: Send + Sync {
    fn file_exists(&self, path: &Path) -> bool;
    fn read_file(&self, path: &Path) -> io::Result<String>;
}

pub struct SourceFile {
    pub name: FileName,
    pub src: String,
    pub start_pos: BytePos,
    pub end_pos: BytePos,
    lines: Vec<BytePos>,
}

impl SourceFile {
    fn new(name: FileName, src: String, start_pos: BytePos) -> Result<Self, OffsetOverflowError> {
        let len = u32::try_from(src.len()).map_err(|_| OffsetOverflowError)?;
        let end_pos = BytePos(start_pos.0.checked_add(len).ok_or(OffsetOverflowError)?);
        let breaks = src.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        let lines = std::iter::once(start_pos).chain(breaks.map(|(i, _)| BytePos(start_pos.0 + i as u32 + 1))).collect();
        Ok(Self { name, src, start_pos, end_pos, lines })
    }

    pub fn line_of(&self, pos: BytePos) -> usize {
        self.lines.partition_point(|start| *start <= pos)
    }
}

#[derive(Default)]
struct SourceMapFiles {
    source_files: Vec<Arc<SourceFile>>,
    latest_by_name: HashMap<FileName, Arc<SourceFile>>,
}

pub struct SourceMap {
    used_address_space: AtomicU32,
    files: RwLock<SourceMapFiles>,
    file_loader: Box<dyn FileLoader>,
}

impl SourceMap {
    pub fn with_file_loader(file_loader: Box<dyn FileLoader>) -> Self {
        Self { used_address_space: AtomicU32::new(0), files: RwLock::default(), file_loader }
    }

    fn allocate_address_space(&self, size: usize) -> Result<BytePos, OffsetOverflowError> {
        let size = u32::try_from(size).map_err(|_| OffsetOverflowError)?;
        loop {
            let current = self.used_address_space.load(Ordering::Relaxed);
            let next = current.checked_add(size).and_then(|next| next.checked_add(1)).ok_or(OffsetOverflowError)?;
            let swapped = self.used_address_space.compare_exchange(current, next, Ordering::Relaxed, Ordering::Relaxed);
            if swapped.is_ok() {
                return Ok(BytePos(current));
            }
        }
    }

    fn register(&self, file: SourceFile) -> Arc<SourceFile> {
        let file = Arc::new(file);
        let mut files = self.files.write().unwrap();
        let at = files.source_files.partition_point(|f| f.start_pos < file.start_pos);
        files.source_files.insert(at, file.clone());
        files.latest_by_name.insert(file.name.clone(), file.clone());
        file
    }

    pub fn new_source_file(&self, name: FileName, src: String) -> Result<Arc<SourceFile>, OffsetOverflowError> {
        let src = src.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(src);
        let start_pos = self.allocate_address_space(src.len())?;
        let file = SourceFile::new(name, src, start_pos)?;
        Ok(self.register(file))
    }

    pub fn load_file(&self, path: &Path) -> io::Result<Arc<SourceFile>> {
        let src = self.file_loader.read_file(path)?;
        self.new_source_file(FileName::Real(path.to_owned()), src)
            .map_err(|_| io::Error::new(io::ErrorKind::Other, "source map is full"))
    }

    pub fn file_exists(&self, path: &Path) -> bool {
        self.file_loader.file_exists(path)
    }

    pub fn lookup_source_file(&self, pos: BytePos) -> Option<Arc<SourceFile>> {
        let files = self.files.read().unwrap();
        let after = files.source_files.partition_point(|f| f.start_pos <= pos);
        files.source_files.get(after.checked_sub(1)?).filter(|f| pos <= f.end_pos).cloned()
    }

    pub fn get_source_file(&self, name: &FileName) -> Option<Arc<SourceFile>> {
        self.files.read().unwrap().latest_by_name.get(name).cloned()
    }
}
