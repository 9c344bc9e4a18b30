// near/nearcore PR #14987
use lru::LruCache;
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

pub type Key = Vec<u8>;
pub type Value = Arc<[u8]>;

pub enum DBOp {
    Set { key: Key, value: Value },
    Delete { key: Key },
}

impl DBOp {
    fn key(&self) -> &Key {
        match self {
            DBOp::Set { key, .. } | DBOp::Delete { key } => key,
        }
    }
}

pub trait Database: Send + Sync {
    fn get(&self, key: &[u8]) -> io::Result<Option<Value>>;
    fn write(&self, ops: Vec<DBOp>) -> io::Result<()>;
}

#[derive(Default)]
pub struct TestDB {
    rows: RwLock<BTreeMap<Key, Value>>,
}

impl Database for TestDB {
    fn get(&self, key: &[u8]) -> io::Result<Option<Value>> {
        Ok(self.rows.read().get(key).cloned())
    }

    fn write(&self, ops: Vec<DBOp>) -> io::Result<()> {
        let mut rows = self.rows.write();
        for op in ops {
            match op {
                DBOp::Set { key, value } => rows.insert(key, value),
                DBOp::Delete { key } => rows.remove(&key),
            };
        }
        Ok(())
    }
}

struct ColumnCache {
    values: LruCache<Key, Option<Value>>,
    active_flushes: u64,
    generation: u64,
}

struct FlushGuard<'a>(&'a Mutex<ColumnCache>);

impl Drop for FlushGuard<'_> {
    fn drop(&mut self) {
        let mut cache = self.0.lock();
        cache.active_flushes -= 1;
        cache.generation += 1;
    }
}

pub struct Store {
    db: Arc<dyn Database>,
    cache: Mutex<ColumnCache>,
}

impl Store {
    pub fn new(db: Arc<dyn Database>, capacity: NonZeroUsize) -> Self {
        let cache = ColumnCache {
            values: LruCache::new(capacity),
            active_flushes: 0,
            generation: 0,
        };
        Self {
            db,
            cache: Mutex::new(cache),
        }
    }

    pub fn caching_get(&self, key: &[u8]) -> io::Result<Option<Value>> {
        let generation = {
            let mut cache = self.cache.lock();
            if let Some(value) = cache.values.get(key) {
                return Ok(value.clone());
            }
            cache.generation
        };
        let value = self.db.get(key)?;
        let mut cache = self.cache.lock();
        if cache.active_flushes == 0 && cache.generation == generation {
            cache.values.put(key.to_vec(), value.clone());
        }
        Ok(value)
    }

    pub fn commit(&self, ops: Vec<DBOp>) -> io::Result<()> {
        let _flush = self.begin_flush(&ops);
        self.db.write(ops)
    }

    fn begin_flush(&self, ops: &[DBOp]) -> FlushGuard<'_> {
        let mut cache = self.cache.lock();
        cache.active_flushes += 1;
        for op in ops {
            cache.values.pop(op.key());
        }
        FlushGuard(&self.cache)
    }
}
