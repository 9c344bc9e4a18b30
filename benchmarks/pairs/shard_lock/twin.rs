//! The shard is locked once.
use std::collections::hash_map::{DefaultHasher, HashMap};
use std::hash::{Hash, Hasher};
use std::sync::Mutex;
type Shard<K, V> = Mutex<HashMap<K, V>>;
pub struct Sharded<K, V> { shards: Box<[Shard<K, V>]> }
impl<K: Hash + Eq + Clone, V: Clone> Sharded<K, V> {
    pub fn with_shards(n: usize) -> Self { Sharded { shards: (0..n).map(|_| Mutex::new(HashMap::new())).collect() } }
    fn shard(&self, key: &K) -> &Shard<K, V> {
        let mut hasher = DefaultHasher::new();
        key.hash(&mut hasher);
        &self.shards[hasher.finish() as usize % self.shards.len()]
    }
    pub fn update(&self, key: K, change: impl FnOnce(Option<V>) -> Option<V>) -> bool {
        let mut shard = self.shard(&key).lock().unwrap();
        let old = shard.get(&key).cloned();
        let Some(new) = change(old) else { return false };
        shard.insert(key, new);
        true
    }
}
pub fn counters() -> Sharded<String, u64> { Sharded::with_shards(16) }
