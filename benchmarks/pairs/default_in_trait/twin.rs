// The default method of a trait, used by two types of storage that are generic themselves.
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::sync::Mutex;

pub trait Store<K, V: Copy> {
    fn get(&self, key: &K) -> Option<V>;
    fn put(&self, key: K, value: V);
    fn with<R>(&self, f: impl FnOnce(&mut dyn FnMut(K, Option<V>) -> Option<V>) -> R) -> R;
    fn bump(&self, key: K, by: V) -> V where V: std::ops::Add<Output = V>, K: Clone {
        self.with(|entry| {
            let sum = match entry(key.clone(), None) { Some(old) => old + by, None => by };
            entry(key, Some(sum));
            sum
        })
    }
}

pub struct Hashed<K, V>(Mutex<HashMap<K, V>>);
pub struct Ordered<K, V>(Mutex<BTreeMap<K, V>>);
impl<K, V> Default for Hashed<K, V> { fn default() -> Self { Hashed(Mutex::new(HashMap::new())) } }
impl<K, V> Default for Ordered<K, V> { fn default() -> Self { Ordered(Mutex::new(BTreeMap::new())) } }

impl<K: Hash + Eq, V: Copy> Store<K, V> for Hashed<K, V> {
    fn get(&self, key: &K) -> Option<V> { self.0.lock().unwrap().get(key).copied() }
    fn put(&self, key: K, value: V) { self.0.lock().unwrap().insert(key, value); }
    fn with<R>(&self, f: impl FnOnce(&mut dyn FnMut(K, Option<V>) -> Option<V>) -> R) -> R {
        let mut map = self.0.lock().unwrap();
        f(&mut |key, value| match value { Some(v) => map.insert(key, v), None => map.get(&key).copied() })
    }
}
impl<K: Ord, V: Copy> Store<K, V> for Ordered<K, V> {
    fn get(&self, key: &K) -> Option<V> { self.0.lock().unwrap().get(key).copied() }
    fn put(&self, key: K, value: V) { self.0.lock().unwrap().insert(key, value); }
    fn with<R>(&self, f: impl FnOnce(&mut dyn FnMut(K, Option<V>) -> Option<V>) -> R) -> R {
        let mut map = self.0.lock().unwrap();
        f(&mut |key, value| match value { Some(v) => map.insert(key, v), None => map.get(&key).copied() })
    }
}
pub struct Hits { by_path: Hashed<String, u64>, by_hour: Ordered<u32, u64> }
impl Hits {
    pub fn new() -> Hits { Hits { by_path: Hashed::default(), by_hour: Ordered::default() } }
    pub fn hit(&self, path: &str, hour: u32) -> u64 { self.by_path.bump(path.to_string(), 1); self.by_hour.bump(hour, 1) }
    pub fn path(&self, path: &str) -> Option<u64> { self.by_path.get(&path.to_string()) }
}
