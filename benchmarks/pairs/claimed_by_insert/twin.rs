//! Whoever inserts a key into the set of those under way has it, until its guard takes it out again; nobody else fetches or stores that key meanwhile.
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
#[derive(Default)]
pub struct Cache { values: Mutex<HashMap<String, u64>>, busy: Mutex<HashSet<String>> }
struct Claim<'a> { cache: &'a Cache, key: String }
impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.cache.busy.lock().unwrap().remove(&self.key);
    }
}
impl Cache {
    fn claim(&self, key: &str) -> Option<Claim<'_>> {
        let first = self.busy.lock().unwrap().insert(key.to_string());
        first.then(|| Claim { cache: self, key: key.to_string() })
    }
    pub async fn refresh(&self, key: &str) -> bool {
        let Some(claim) = self.claim(key) else { return false };
        let value = compute(key).await;
        self.values.lock().unwrap().insert(claim.key.clone(), value);
        true
    }
    pub fn get(&self, key: &str) -> Option<u64> { self.values.lock().unwrap().get(key).copied() }
}
async fn compute(key: &str) -> u64 {
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    key.len() as u64
}
