// Repaired as in PR #303: register_table checks, under the write lock, that all the memtables are sealed still and drops the table otherwise; every flush takes all that are sealed, so a table that passes is newer than all that are there, and what a dropped one held is in another table or sealed still.
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};

type Items = BTreeMap<String, String>;

pub struct Memtable {
    id: u64,
    items: Mutex<Items>,
}

pub struct Table {
    items: Items,
}

struct SuperVersion {
    active: Arc<Memtable>,
    sealed: BTreeMap<u64, Arc<Memtable>>,
    /// Newest first.
    tables: Vec<Arc<Table>>,
}

pub struct Tree {
    next_memtable_id: AtomicU64,
    version: RwLock<SuperVersion>,
}

impl Tree {
    pub fn new() -> Self {
        let active = Arc::new(Memtable { id: 0, items: Mutex::default() });
        let version = SuperVersion { active, sealed: BTreeMap::new(), tables: Vec::new() };
        Tree { next_memtable_id: AtomicU64::new(1), version: RwLock::new(version) }
    }

    pub fn insert(&self, key: &str, value: &str) {
        let version = self.version.read().unwrap();
        version.active.items.lock().unwrap().insert(key.to_string(), value.to_string());
    }

    pub fn get(&self, key: &str) -> Option<String> {
        let version = self.version.read().unwrap();
        let memtables = std::iter::once(&version.active).chain(version.sealed.values().rev());
        for memtable in memtables {
            if let Some(value) = memtable.items.lock().unwrap().get(key) {
                return Some(value.clone());
            }
        }
        version.tables.iter().find_map(|table| table.items.get(key).cloned())
    }

    pub fn rotate_memtable(&self) {
        let mut version = self.version.write().unwrap();
        let id = self.next_memtable_id.fetch_add(1, Ordering::Relaxed);
        let fresh = Arc::new(Memtable { id, items: Mutex::default() });
        let full = std::mem::replace(&mut version.active, fresh);
        version.sealed.insert(full.id, full);
    }

    /// Writes the sealed memtables into a table; called by any flush worker. Tells how many were flushed.
    pub fn flush(&self) -> usize {
        let sealed: Vec<Arc<Memtable>> = self.version.read().unwrap().sealed.values().cloned().collect();
        if sealed.is_empty() {
            return 0;
        }
        let mut items = Items::new();
        for memtable in &sealed {
            items.extend(memtable.items.lock().unwrap().clone());
        }
        let ids: Vec<u64> = sealed.iter().map(|m| m.id).collect();
        self.register_table(Table { items }, &ids)
    }

    fn register_table(&self, table: Table, sealed_ids: &[u64]) -> usize {
        let mut version = self.version.write().unwrap();
        if !sealed_ids.iter().all(|id| version.sealed.contains_key(id)) {
            // Another worker has flushed them (or some) meanwhile.
            return 0;
        }
        version.tables.insert(0, Arc::new(table));
        for id in sealed_ids {
            version.sealed.remove(id);
        }
        sealed_ids.len()
    }
}
