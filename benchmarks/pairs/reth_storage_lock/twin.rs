// Repaired as in PR #17823: Drop is implemented for the inner value, which the Arc drops exactly once, with its last handle.
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LOCKFILE_NAME: &str = "lock";

#[derive(Debug)]
pub enum StorageLockError {
    /// The directory is in use; the process that holds it, if it can be told.
    Taken(Option<u32>),
    Other(io::Error),
}

impl From<io::Error> for StorageLockError {
    fn from(e: io::Error) -> Self {
        StorageLockError::Other(e)
    }
}

/// Keeps other processes (and other databases of this one) off a directory.
#[derive(Debug, Clone)]
pub struct StorageLock(Arc<StorageLockInner>);

#[derive(Debug)]
struct StorageLockInner {
    file_path: PathBuf,
}

impl StorageLockInner {
    fn new(file_path: PathBuf) -> Result<Self, StorageLockError> {
        let mut file = match OpenOptions::new().write(true).create_new(true).open(&file_path) {
            Ok(file) => file,
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {
                let holder = fs::read_to_string(&file_path).ok().and_then(|pid| pid.trim().parse().ok());
                return Err(StorageLockError::Taken(holder));
            }
            Err(e) => return Err(e.into()),
        };
        writeln!(file, "{}", std::process::id())?;
        Ok(StorageLockInner { file_path })
    }
}

impl StorageLock {
    pub fn try_acquire(dir: &Path) -> Result<Self, StorageLockError> {
        fs::create_dir_all(dir)?;
        Ok(StorageLock(Arc::new(StorageLockInner::new(dir.join(LOCKFILE_NAME))?)))
    }
}

impl Drop for StorageLockInner {
    fn drop(&mut self) {
        // The lock is cloned with every provider: with the last one it is released.
        let _ = fs::remove_file(&self.file_path);
    }
}

/// A handle on the database; each thread has its own clone.
#[derive(Debug, Clone)]
pub struct DatabaseEnv {
    data: Arc<File>,
    _lock: StorageLock,
}

impl DatabaseEnv {
    pub fn open(dir: &Path) -> Result<Self, StorageLockError> {
        let lock = StorageLock::try_acquire(dir)?;
        let data = OpenOptions::new().append(true).create(true).open(dir.join("mdbx.dat"))?;
        Ok(DatabaseEnv { data: Arc::new(data), _lock: lock })
    }

    pub fn append(&self, record: &[u8]) -> io::Result<()> {
        (&*self.data).write_all(record)
    }
}
