// slatedb, PR #227 (review): `evict_one` deletes the file and drops its entry in two steps, so a `save` of the same part in between is struck from the books with the old size: the file stays untracked and the total is wrong.
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tokio::sync::Mutex;

/// Keeps the parts of objects on the local disk, least recently used ones are evicted.
pub struct FsCache {
    root: PathBuf,
    max_size_bytes: u64,
    entries: Mutex<HashMap<PathBuf, (Instant, u64)>>,
    size_bytes: AtomicU64,
    next_tmp: AtomicU64,
}

impl FsCache {
    pub fn new(root: impl Into<PathBuf>, max_size_bytes: u64) -> Self {
        Self {
            root: root.into(),
            max_size_bytes,
            entries: Mutex::default(),
            size_bytes: AtomicU64::new(0),
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
        if let Some(entry) = self.entries.lock().await.get_mut(&path) {
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
        self.write_file(&path, data).await?;
        let old = self.entries.lock().await.insert(path, (Instant::now(), bytes)); //~
        self.size_bytes.fetch_add(bytes, Ordering::SeqCst);
        self.size_bytes.fetch_sub(old.map_or(0, |(_, old)| old), Ordering::SeqCst);
        while self.size_bytes.load(Ordering::SeqCst) > self.max_size_bytes {
            if self.evict_one().await == 0 {
                break;
            }
        }
        Ok(())
    }

    async fn evict_one(&self) -> u64 {
        let oldest = {
            let entries = self.entries.lock().await;
            entries.iter().min_by_key(|(_, entry)| entry.0).map(|(path, entry)| (path.clone(), entry.1))
        };
        let Some((target, bytes)) = oldest else {
            return 0;
        };
        match tokio::fs::remove_file(&target).await { //~
            Err(err) if err.kind() != io::ErrorKind::NotFound => {
                tracing::warn!("evictor: failed to remove {}: {err}", target.display());
                return 0;
            }
            _ => {}
        }
        self.entries.lock().await.remove(&target); //~
        self.size_bytes.fetch_sub(bytes, Ordering::SeqCst);
        bytes
    }
}
