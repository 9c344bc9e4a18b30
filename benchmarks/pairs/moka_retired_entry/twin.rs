// Source: moka-rs/moka PR #592, repaired as there: wherever an entry is taken out of the map it is marked as retired, with the map's entry
// still locked; a late `Upsert` of a retired entry makes no node. A node whose entry somebody else has taken out meanwhile is dropped.
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;

use crossbeam_queue::SegQueue;
use dashmap::mapref::entry::Entry;
use dashmap::DashMap;
use parking_lot::Mutex;

struct EntryInfo {
    id: u64,
    weight: u32,
    is_retired: AtomicBool,
}

impl EntryInfo {
    fn retire(&self) {
        self.is_retired.store(true, Ordering::Release);
    }

    fn is_alive(&self) -> bool {
        !self.is_retired.load(Ordering::Acquire)
    }
}

struct ValueEntry<V> {
    value: V,
    info: Arc<EntryInfo>,
}

enum WriteOp<K> {
    Upsert { key: K, info: Arc<EntryInfo> },
    Remove(Arc<EntryInfo>),
}

struct Node<K> {
    key: K,
    info: Arc<EntryInfo>,
}

/// Entries in the order of their insertion. Guarded by the lock of the housekeeper.
struct Deques<K> {
    write_order: BTreeMap<u64, Node<K>>,
    weighted_size: u64,
}

impl<K> Deques<K> {
    fn push_back(&mut self, key: K, info: Arc<EntryInfo>) {
        self.weighted_size += u64::from(info.weight);
        self.write_order.insert(info.id, Node { key, info });
    }

    fn unlink(&mut self, id: u64) {
        if let Some(node) = self.write_order.remove(&id) {
            self.weighted_size -= u64::from(node.info.weight);
        }
    }
}

pub struct Cache<K, V> {
    map: DashMap<K, ValueEntry<V>>,
    write_ops: SegQueue<WriteOp<K>>,
    deques: Mutex<Deques<K>>,
    next_id: AtomicU64,
    max_capacity: u64,
    weigher: fn(&K, &V) -> u32,
}

impl<K: Hash + Eq + Clone, V: Clone> Cache<K, V> {
    pub fn with_weigher(max_capacity: u64, weigher: fn(&K, &V) -> u32) -> Self {
        Cache {
            map: DashMap::new(),
            write_ops: SegQueue::new(),
            deques: Mutex::new(Deques { write_order: BTreeMap::new(), weighted_size: 0 }),
            next_id: AtomicU64::new(0),
            max_capacity,
            weigher,
        }
    }

    pub fn get(&self, key: &K) -> Option<V> {
        self.map.get(key).map(|entry| entry.value.clone())
    }

    pub fn insert(&self, key: K, value: V) {
        let info = Arc::new(EntryInfo {
            id: self.next_id.fetch_add(1, Ordering::Relaxed),
            weight: (self.weigher)(&key, &value),
            is_retired: AtomicBool::new(false),
        });
        let new = ValueEntry { value, info: info.clone() };
        let replaced = match self.map.entry(key.clone()) {
            Entry::Occupied(mut entry) => {
                entry.get().info.retire();
                Some(entry.insert(new))
            }
            Entry::Vacant(entry) => {
                entry.insert(new);
                None
            }
        };
        if let Some(old) = replaced {
            self.write_ops.push(WriteOp::Remove(old.info));
        }
        self.write_ops.push(WriteOp::Upsert { key, info });
        self.run_pending_tasks();
    }

    pub fn invalidate(&self, key: &K) {
        if let Some((_, old)) = self.remove_entry_if(key, |_| true) {
            self.write_ops.push(WriteOp::Remove(old.info));
            self.run_pending_tasks();
        }
    }

    fn remove_entry_if(&self, key: &K, condition: impl Fn(&EntryInfo) -> bool) -> Option<(K, ValueEntry<V>)> {
        self.map.remove_if(key, |_, entry| {
            let remove = condition(&entry.info);
            if remove {
                entry.info.retire();
            }
            remove
        })
    }

    pub fn run_pending_tasks(&self) {
        let mut deques = self.deques.lock();
        while let Some(op) = self.write_ops.pop() {
            match op {
                WriteOp::Upsert { key, info } => self.handle_upsert(&mut deques, key, info),
                WriteOp::Remove(info) => deques.unlink(info.id),
            }
        }
        self.evict_lru_entries(&mut deques);
    }

    fn handle_upsert(&self, deques: &mut Deques<K>, key: K, info: Arc<EntryInfo>) {
        if info.is_alive() {
            deques.push_back(key, info);
        }
    }

    fn evict_lru_entries(&self, deques: &mut Deques<K>) {
        while deques.weighted_size > self.max_capacity {
            let Some((&id, node)) = deques.write_order.first_key_value() else { break };
            // If somebody else has removed or replaced it, its `Remove` finds no node any more.
            self.remove_entry_if(&node.key, |info| info.id == id);
            deques.unlink(id);
        }
    }

    pub fn weighted_size(&self) -> u64 {
        self.deques.lock().weighted_size
    }
}
