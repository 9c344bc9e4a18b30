//! Maps of libraries that many may change at once: each operation is whole, two of them are not.

use crossbeam_skiplist::SkipMap;

/// How often each name was said, in maps of several kinds.
pub struct Said {
    sharded: scc::HashMap<String, u64>,
    pinned: papaya::HashMap<String, u64>,
    sorted: SkipMap<String, u64>,
    claimed: scc::HashSet<String>,
    hashed: std::sync::Mutex<ahash::AHashMap<String, u64>>,
    lengths: quick_cache::sync::Cache<String, usize>,
}

impl Said {
    pub fn sharded(&self, name: &str) {
        let known = self.sharded.read_sync(name, |_, count| *count).unwrap_or(0); //~
        self.sharded.upsert_sync(name.to_owned(), known + 1); //~
    }

    pub fn sharded_at_once(&self, name: &str) {
        self.sharded.entry_sync(name.to_owned()).and_modify(|count| *count += 1).or_insert(1); //~
    }

    pub fn pinned(&self, name: &str) {
        let map = self.pinned.pin();
        let known = map.get(name).copied().unwrap_or(0); //~
        map.insert(name.to_owned(), known + 1); //~
    }

    pub fn pinned_at_once(&self, name: &str) {
        self.pinned.pin().update_or_insert(name.to_owned(), |count| count + 1, 1); //~
    }

    pub fn sorted(&self, name: &str) {
        let known = self.sorted.get(name).map_or(0, |entry| *entry.value()); //~
        self.sorted.insert(name.to_owned(), known + 1); //~
    }

    pub fn hashed(&self, name: &str) {
        let known = self.hashed.lock().unwrap().get(name).copied().unwrap_or(0); //~
        self.hashed.lock().unwrap().insert(name.to_owned(), known + 1); //~
    }

    /// Whoever is first does it.
    pub fn claim(&self, name: &str) -> bool {
        self.claimed.insert_sync(name.to_owned()).is_ok()
    }

    /// Filled by anybody, with the same.
    pub fn length(&self, name: &str) -> usize {
        if let Some(length) = self.lengths.get(name) {
            return length;
        }
        self.lengths.insert(name.to_owned(), name.len());
        name.len()
    }
}
