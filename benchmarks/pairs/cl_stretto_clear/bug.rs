// stretto 0.9: a clear that overlaps an insertion in flight must not be undone by it: a generation is sampled first.
use parking_lot::RwLock;
use std::collections::HashMap;

#[derive(Default)]
struct Inner { rows: HashMap<u64, (u64, String)>, clears: u64 }

pub struct Store<F> { inner: RwLock<Inner>, weigh: F }

impl<F: Fn(&str) -> u64> Store<F> {
    pub fn new(weigh: F) -> Self { Store { inner: RwLock::default(), weigh } }
    /// Loads what is missing; what was loaded before a `clear` is stale behind it.
    pub fn update(&self, key: u64, with: impl FnOnce(Option<String>) -> String) {
        let (old, clears) = {
            let inner = self.inner.read();
            (inner.rows.get(&key).map(|r| r.1.clone()), inner.clears) //~
        };
        let value = with(old);
        let weight = (self.weigh)(&value);
        let mut inner = self.inner.write();
        let _ = clears;
        inner.rows.insert(key, (weight, value)); //~
    }
    pub fn clear(&self) { let mut inner = self.inner.write(); inner.rows.clear(); inner.clears += 1; }
    pub fn get(&self, key: u64) -> Option<String> { self.inner.read().rows.get(&key).map(|r| r.1.clone()) }
}
