// anza-xyz/agave PR #10908 (issue #10832): forward and reverse index changed in two separate steps, in opposite order by insert and remove: an interleaved insert re-adds the reverse entry, the next remove panics.
use dashmap::mapref::entry::Entry;
use dashmap::DashMap;
use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::RwLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pubkey(pub [u8; 32]);

type SecondaryReverseIndexEntry = RwLock<Vec<Pubkey>>;

pub trait SecondaryIndexEntry: Debug {
    fn insert_if_not_exists(&self, key: &Pubkey, inner_keys_count: &AtomicU64);
    fn remove_inner_key(&self, key: &Pubkey) -> bool;
    fn is_empty(&self) -> bool;
}

#[derive(Debug, Default)]
pub struct RwLockSecondaryIndexEntry {
    account_keys: RwLock<HashSet<Pubkey>>,
}

impl SecondaryIndexEntry for RwLockSecondaryIndexEntry {
    fn insert_if_not_exists(&self, key: &Pubkey, inner_keys_count: &AtomicU64) {
        if self.account_keys.read().unwrap().contains(key) {
            return;
        }
        let was_newly_inserted = self.account_keys.write().unwrap().insert(*key);
        if was_newly_inserted {
            inner_keys_count.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn remove_inner_key(&self, key: &Pubkey) -> bool {
        self.account_keys.write().unwrap().remove(key)
    }

    fn is_empty(&self) -> bool {
        self.account_keys.read().unwrap().is_empty()
    }
}

#[derive(Debug, Default)]
pub struct SecondaryIndex<T: SecondaryIndexEntry + Default + Sync + Send> {
    index: DashMap<Pubkey, T>,
    reverse_index: DashMap<Pubkey, SecondaryReverseIndexEntry>,
    num_inner_keys: AtomicU64,
}

impl<T: SecondaryIndexEntry + Default + Sync + Send> SecondaryIndex<T> {
    pub fn insert(&self, key: &Pubkey, inner_key: &Pubkey) {
        {
            let pubkeys_map = self
                .index
                .get(key)
                .unwrap_or_else(|| self.index.entry(*key).or_default().downgrade());
            pubkeys_map.insert_if_not_exists(inner_key, &self.num_inner_keys);
        }

        let outer_keys = self
            .reverse_index
            .get(inner_key)
            .unwrap_or_else(|| self.reverse_index.entry(*inner_key).or_default().downgrade());
        let should_insert = !outer_keys.read().unwrap().contains(key);
        if should_insert {
            let mut w_outer_keys = outer_keys.write().unwrap();
            if !w_outer_keys.contains(key) {
                w_outer_keys.push(*key);
            }
        }
    }

    fn remove_index_entries(&self, outer_key: &Pubkey, removed_inner_key: &Pubkey) {
        let is_outer_key_empty = {
            let inner_key_map = self
                .index
                .get_mut(outer_key)
                .expect("If we're removing a key, then it must have an entry in the map");
            assert!(inner_key_map.value().remove_inner_key(removed_inner_key));
            inner_key_map.is_empty()
        };
        if is_outer_key_empty {
            if let Entry::Occupied(key_entry) = self.index.entry(*outer_key) {
                if key_entry.get().is_empty() {
                    key_entry.remove();
                }
            }
        }
    }

    pub fn remove_by_inner_key(&self, inner_key: &Pubkey) {
        let Some((_, outer_keys)) = self.reverse_index.remove(inner_key) else {
            return;
        };
        let removed_outer_keys = outer_keys.into_inner().unwrap();
        for outer_key in &removed_outer_keys {
            self.remove_index_entries(outer_key, inner_key);
        }
        let num_removed = removed_outer_keys.len() as u64;
        self.num_inner_keys.fetch_sub(num_removed, Ordering::Relaxed);
    }

    pub fn num_inner_keys(&self) -> u64 {
        self.num_inner_keys.load(Ordering::Relaxed)
    }
}
