// anza-xyz/agave PR #10908 (issue #10832): repaired as there.
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
        let reverse_index_entry = self.reverse_index.entry(*inner_key).or_default();
        let mut outer_keys = reverse_index_entry.write().unwrap();

        self.index
            .get(key)
            .unwrap_or_else(|| self.index.entry(*key).or_default().downgrade())
            .insert_if_not_exists(inner_key, &self.num_inner_keys);

        if !outer_keys.contains(key) {
            outer_keys.push(*key);
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
            self.index.remove_if(outer_key, |_, inner_keys| inner_keys.is_empty());
        }
    }

    pub fn remove_by_inner_key(&self, inner_key: &Pubkey) {
        let mut num_removed = 0;
        if let Some(reverse_index_entry) = self.reverse_index.get(inner_key) {
            let mut outer_keys = reverse_index_entry.write().unwrap();
            for outer_key in outer_keys.iter() {
                self.remove_index_entries(outer_key, inner_key);
                num_removed += 1;
            }
            outer_keys.clear();
        }
        self.reverse_index
            .remove_if(inner_key, |_, outer_keys| outer_keys.read().unwrap().is_empty());
        self.num_inner_keys.fetch_sub(num_removed, Ordering::Relaxed);
    }

    pub fn num_inner_keys(&self) -> u64 {
        self.num_inner_keys.load(Ordering::Relaxed)
    }
}
