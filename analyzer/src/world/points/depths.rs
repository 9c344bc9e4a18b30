//! What a search that goes only so deep has been at: it has to come again to what it was at only deeper.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// By what was looked at: the least depth at which that was.
pub(super) struct Depths<K>(FxHashMap<K, u32>);

impl<K> Default for Depths<K> {
    fn default() -> Self {
        Depths(FxHashMap::default())
    }
}

impl<K: Eq + Hash> Depths<K> {
    /// Notes that something is looked at. Whether it was not yet, or deeper only.
    pub fn is_new(&mut self, key: K, depth: u32) -> bool {
        let known = self.0.entry(key).or_insert(u32::MAX);
        std::mem::replace(known, depth.min(*known)) > depth
    }
}
