// Source: moka-rs/moka PR #592 (eviction stall under concurrent key reuse), issue #590: an insert puts its entry into the map first and
// queues the `Upsert` for the policy afterwards. If the entry is removed (and its `Remove` drained) in between, the late `Upsert` makes a
// node for an entry that is dead: it comes to the front of the deque, cannot be evicted, and stops all eviction behind it.
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use crossbeam_queue::SegQueue;
use dashmap::mapref::entry::Entry;
use dashmap::DashMap;
use parking_lot::Mutex;

struct EntryInfo {
    id: u64,
    weight: u32,
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
        });
        let new = ValueEntry { value, info: info.clone() };
        let replaced = match self.map.entry(key.clone()) {
            Entry::Occupied(mut entry) => Some(entry.insert(new)), //~
            Entry::Vacant(entry) => {
                entry.insert(new); //~
                None
            }
        };
        if let Some(old) = replaced {
            self.write_ops.push(WriteOp::Remove(old.info));
        }
        self.write_ops.push(WriteOp::Upsert { key, info }); //~
        self.run_pending_tasks();
    }

    pub fn invalidate(&self, key: &K) {
        if let Some((_, old)) = self.map.remove(key) { //~
            self.write_ops.push(WriteOp::Remove(old.info));
            self.run_pending_tasks();
        }
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
        deques.push_back(key, info); //~
    }

    fn evict_lru_entries(&self, deques: &mut Deques<K>) {
        while deques.weighted_size > self.max_capacity {
            let Some((&id, node)) = deques.write_order.first_key_value() else { break };
            let evicted = self.map.remove_if(&node.key, |_, entry| Arc::ptr_eq(&entry.info, &node.info));
            if evicted.is_none() {
                // Somebody else has removed or replaced it: its `Remove` is on the way.
                break; //~
            }
            deques.unlink(id);
        }
    }

    pub fn weighted_size(&self) -> u64 {
        self.deques.lock().weighted_size
    }
}
