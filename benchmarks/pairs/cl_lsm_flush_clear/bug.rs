// lsm-tree 3.1.x (fixed by commit fae9325d, issue 287), src/tree/mod.rs: a flush takes the sealed memtables and writes a table of them
// without a lock; when it registers the table, `clear` may have thrown them away: what was cleared is there again.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

#[derive(Clone)]
pub struct Memtable {
    id: u64,
    data: Arc<BTreeMap<String, u64>>,
}

#[derive(Default)]
pub struct Version {
    sealed: Vec<Memtable>,
    tables: Vec<Arc<BTreeMap<String, u64>>>,
}

#[derive(Clone, Default)]
pub struct Tree {
    version: Arc<RwLock<Version>>,
    next_id: Arc<AtomicU64>,
}

impl Tree {
    pub fn seal(&self, data: BTreeMap<String, u64>) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.version.write().unwrap().sealed.push(Memtable { id, data: Arc::new(data) });
    }

    pub fn flush(&self) {
        let sealed = self.version.read().unwrap().sealed.clone();
        if sealed.is_empty() {
            return;
        }
        let mut table = BTreeMap::new();
        for memtable in &sealed {
            table.extend(memtable.data.iter().map(|(k, v)| (k.clone(), *v)));
        }
        let ids: Vec<u64> = sealed.iter().map(|m| m.id).collect();
        self.register(table, &ids);
    }

    fn register(&self, table: BTreeMap<String, u64>, ids: &[u64]) {
        let mut version = self.version.write().unwrap();
        version.sealed.retain(|m| !ids.contains(&m.id));
        version.tables.push(Arc::new(table));
    }

    pub fn clear(&self) {
        *self.version.write().unwrap() = Version::default();
    }

    pub fn get(&self, key: &str) -> Option<u64> {
        let version = self.version.read().unwrap();
        version.tables.iter().rev().find_map(|t| t.get(key).copied())
    }
}
