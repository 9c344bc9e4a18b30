// Repaired as in the review of PR #14206: the delta is applied before the shard's guard is dropped, in insert() and in remove(), so the weight of every entry that can be seen is in the sum; eviction claims the weight by one conditional update, under the shard's guard too.
use std::collections::hash_map::RandomState;
use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, Hash};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;

struct Shard<K, V> {
    map: HashMap<K, (V, u64)>,
    order: VecDeque<K>,
}

impl<K: Hash + Eq + Clone, V> Shard<K, V> {
    fn insert(&mut self, key: K, value: V, weight: u64) -> i64 {
        let old = self.map.insert(key.clone(), (value, weight)).map_or(0, |(_, w)| w);
        self.order.retain(|k| *k != key);
        self.order.push_back(key);
        weight as i64 - old as i64
    }

    fn remove(&mut self, key: &K) -> Option<(V, u64)> {
        self.order.retain(|k| k != key);
        self.map.remove(key)
    }

    fn coldest(&self) -> Option<(K, u64)> {
        self.order.front().map(|k| (k.clone(), self.map[k].1))
    }
}

pub struct ShardedCache<K, V> {
    shards: Box<[Mutex<Shard<K, V>>]>,
    hasher: RandomState,
    weighted_size: AtomicU64,
    max_weight: u64,
}

impl<K: Hash + Eq + Clone, V: Clone> ShardedCache<K, V> {
    pub fn new(shards: usize, max_weight: u64) -> Self {
        let shard = |_| Mutex::new(Shard { map: HashMap::new(), order: VecDeque::new() });
        let shards = (0..shards.max(1)).map(shard).collect();
        ShardedCache { shards, hasher: RandomState::new(), weighted_size: AtomicU64::new(0), max_weight }
    }

    fn shard_of(&self, key: &K) -> usize {
        self.hasher.hash_one(key) as usize % self.shards.len()
    }

    fn apply_delta(&self, delta: i64) {
        let add = |size: u64| Some(size.saturating_add_signed(delta));
        let _ = self.weighted_size.fetch_update(Ordering::AcqRel, Ordering::Acquire, add);
    }

    pub fn insert(&self, key: K, value: V, weight: u64) {
        let idx = self.shard_of(&key);
        let mut shard = self.shards[idx].lock().unwrap();
        let delta = shard.insert(key, value, weight);
        // Before unlocking: a removal must not overtake its accounting.
        self.apply_delta(delta);
        drop(shard);
        self.evict_to_limit(idx);
    }

    pub fn get(&self, key: &K) -> Option<V> {
        let shard = self.shards[self.shard_of(key)].lock().unwrap();
        shard.map.get(key).map(|(value, _)| value.clone())
    }

    pub fn remove(&self, key: &K) -> Option<V> {
        let mut shard = self.shards[self.shard_of(key)].lock().unwrap();
        let (value, weight) = shard.remove(key)?;
        self.apply_delta(-(weight as i64));
        Some(value)
    }

    fn evict_to_limit(&self, prefer: usize) {
        for i in 0..self.shards.len() {
            let mut shard = self.shards[(prefer + i) % self.shards.len()].lock().unwrap();
            while let Some((key, weight)) = shard.coldest() {
                let shrink = |size: u64| (size > self.max_weight).then(|| size.saturating_sub(weight));
                if self.weighted_size.fetch_update(Ordering::AcqRel, Ordering::Acquire, shrink).is_err() {
                    return;
                }
                shard.remove(&key);
            }
        }
    }
}
