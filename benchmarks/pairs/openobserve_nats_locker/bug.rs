// Source: openobserve/openobserve issue #12491, pull request #12516 (NATS lock keep-alive resurrects a purged lock)
use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{bail, Result};
use bytes::Bytes;
use once_cell::sync::Lazy;
use tokio::sync::{mpsc, Mutex, RwLock};

// global locker for nats
static LOCAL_LOCKER: Lazy<Mutex<HashMap<String, Arc<Mutex<bool>>>>> =
    Lazy::new(|| Mutex::new(HashMap::new()));
// unit: second
const LOCKER_WATCHER_UPDATE_TTL: u64 = 10;

/// A key-value bucket of the cluster.
#[derive(Default)]
pub struct Store {
    entries: RwLock<HashMap<String, Bytes>>,
}

impl Store {
    pub async fn get(&self, key: &str) -> Option<Bytes> {
        self.entries.read().await.get(key).cloned()
    }

    /// Fails when the key is there already.
    pub async fn create(&self, key: &str, value: Bytes) -> Result<()> {
        let mut entries = self.entries.write().await;
        if entries.contains_key(key) {
            bail!("key already exists");
        }
        entries.insert(key.to_string(), value);
        Ok(())
    }

    pub async fn put(&self, key: &str, value: Bytes) {
        self.entries.write().await.insert(key.to_string(), value);
    }

    pub async fn purge(&self, key: &str) {
        self.entries.write().await.remove(key);
    }

    pub async fn keys(&self) -> Vec<String> {
        self.entries.read().await.keys().cloned().collect()
    }
}

pub struct Locker {
    pub key: String,
    lock_id: String,
    bucket: Arc<Store>,
    state: Arc<AtomicU8>, // 0: init, 1: locking, 2: release
    tx: Option<mpsc::Sender<()>>,
}

impl Locker {
    pub fn new(bucket: Arc<Store>, key: &str, lock_id: &str) -> Self {
        Self {
            key: format!("/locker{key}"),
            lock_id: lock_id.to_string(),
            bucket,
            state: Arc::new(AtomicU8::new(0)),
            tx: None,
        }
    }

    /// lock with timeout
    pub async fn lock(&mut self, timeout: Duration) -> Result<()> {
        // check local global locker
        let mut local_mutex = LOCAL_LOCKER.lock().await;
        let locker = local_mutex.entry(self.key.clone()).or_default().clone();
        drop(local_mutex);
        let _lock_guard = locker.lock().await;

        let value = Bytes::from(self.lock_id.clone());
        let expiration = Instant::now() + timeout;
        while let Err(err) = self.bucket.create(&self.key, value.clone()).await {
            // created error, means the key locked by other thread, wait and retry
            if Instant::now() > expiration {
                bail!("nats lock for key: {}, acquire timeout: {err}", self.key);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        self.state.store(1, Ordering::SeqCst);

        // start keep alive
        let (tx, mut rx) = mpsc::channel(1);
        self.tx = Some(tx);
        let bucket = self.bucket.clone();
        let lock_key = self.key.clone();
        tokio::task::spawn(async move {
            keep_alive_lock(&mut rx, &bucket, &lock_key, value).await;
        });

        Ok(())
    }

    pub fn is_locked(&self) -> bool {
        self.state.load(Ordering::SeqCst) == 1
    }

    pub async fn unlock(&self) -> Result<()> {
        if self.state.load(Ordering::SeqCst) != 1 {
            return Ok(());
        }
        self.state.store(2, Ordering::SeqCst);
        if let Err(e) = self.tx.as_ref().unwrap().send(()).await {
            eprintln!("nats unlock sender for key: {}, error: {e}", self.key);
        }
        self.bucket.purge(&self.key).await; //~
        Ok(())
    }
}

async fn keep_alive_lock(rx: &mut mpsc::Receiver<()>, bucket: &Store, key: &str, value: Bytes) {
    let interval = std::cmp::max(1, LOCKER_WATCHER_UPDATE_TTL / 3);
    let mut ticker = tokio::time::interval(Duration::from_secs(interval));
    ticker.tick().await; // first tick will be immediate
    loop {
        tokio::select! {
            _ = ticker.tick() => {}
            _ = rx.recv() => {
                break;
            }
        }
        // update the locker time to keep alive
        bucket.put(key, value.clone()).await; //~
    }
}
