// As in PR #227 one coarse lock holds entries and total together and is kept over the file operations of `save` and eviction, so a file, its entry and its share of the total always change as one.
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tokio::sync::Mutex;

#[derive(Default)]
struct CacheBooks {
    entries: HashMap<PathBuf, (Instant, u64)>,
    size_bytes: u64,
}

/// Keeps the parts of objects on the local disk, least recently used ones are evicted.
pub struct FsCache {
    root: PathBuf,
    max_size_bytes: u64,
    books: Mutex<CacheBooks>,
    next_tmp: AtomicU64,
}

impl FsCache {
    pub fn new(root: impl Into<PathBuf>, max_size_bytes: u64) -> Self {
        Self {
            root: root.into(),
            max_size_bytes,
            books: Mutex::default(),
            next_tmp: AtomicU64::new(0),
        }
    }

    async fn write_file(&self, path: &Path, data: &[u8]) -> io::Result<()> {
        let tmp = self.root.join(format!("_tmp{}", self.next_tmp.fetch_add(1, Ordering::Relaxed)));
        tokio::fs::write(&tmp, data).await?;
        tokio::fs::rename(&tmp, path).await
    }

    pub async fn read(&self, part: &str) -> io::Result<Option<Vec<u8>>> {
        let path = self.root.join(part);
        if let Some(entry) = self.books.lock().await.entries.get_mut(&path) {
            entry.0 = Instant::now();
        }
        match tokio::fs::read(&path).await {
            Ok(data) => Ok(Some(data)),
            Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(err) => Err(err),
        }
    }

    pub async fn save(&self, part: &str, data: &[u8]) -> io::Result<()> {
        let path = self.root.join(part);
        let bytes = data.len() as u64;
        let mut books = self.books.lock().await;
        self.write_file(&path, data).await?;
        let old = books.entries.insert(path, (Instant::now(), bytes));
        books.size_bytes = books.size_bytes + bytes - old.map_or(0, |(_, old)| old);
        while books.size_bytes > self.max_size_bytes {
            if self.evict_one(&mut books).await == 0 {
                break;
            }
        }
        Ok(())
    }

    async fn evict_one(&self, books: &mut CacheBooks) -> u64 {
        let oldest = books.entries.iter().min_by_key(|(_, entry)| entry.0).map(|(path, entry)| (path.clone(), entry.1));
        let Some((target, bytes)) = oldest else {
            return 0;
        };
        match tokio::fs::remove_file(&target).await {
            Err(err) if err.kind() != io::ErrorKind::NotFound => {
                tracing::warn!("evictor: failed to remove {}: {err}", target.display());
                return 0;
            }
            _ => {}
        }
        books.entries.remove(&target);
        books.size_bytes -= bytes;
        bytes
    }
}
