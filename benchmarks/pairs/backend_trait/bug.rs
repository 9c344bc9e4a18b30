//! A generic function gets and puts through a trait.
use std::collections::BTreeMap;
use std::sync::{Arc, RwLock};
pub trait Store: Send + Sync {
    fn get(&self, key: &str) -> Option<i64>;
    fn put(&self, key: &str, value: i64);
    fn change(&self, key: &str, by: &mut dyn FnMut(Option<i64>) -> i64) -> i64;
}
#[derive(Default)]
pub struct Memory(RwLock<BTreeMap<String, i64>>);
impl Store for Memory {
    fn get(&self, key: &str) -> Option<i64> { self.0.read().unwrap().get(key).copied() } //~
    fn put(&self, key: &str, value: i64) { self.0.write().unwrap().insert(key.to_owned(), value); } //~
    fn change(&self, key: &str, by: &mut dyn FnMut(Option<i64>) -> i64) -> i64 {
        let mut map = self.0.write().unwrap();
        let new = by(map.get(key).copied());
        map.insert(key.to_owned(), new);
        new
    }
}
pub fn next_number<S: Store + ?Sized>(store: &S, of: &str) -> i64 {
    let number = store.get(of).map_or(1, |n| n + 1);
    store.put(of, number);
    number
}
pub struct Numbers { store: Arc<Memory> }
impl Numbers {
    pub fn new() -> Self { Numbers { store: Arc::default() } }
    pub fn invoice(&self) -> String { format!("I-{:05}", next_number(&*self.store, "invoice")) }
}
