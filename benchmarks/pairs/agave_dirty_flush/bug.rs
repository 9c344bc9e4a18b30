// anza-xyz/agave, PR #11988: the flush marks an entry clean before it has written it to the bucket on disk, and the eviction throws out what is clean; an entry that is evicted between the two is neither in memory nor (in its new version) on disk, and a load finds nothing or the old one.
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;

pub type Pubkey = [u8; 32];
pub type Slot = u64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccountInfo {
    pub store_id: u32,
    pub offset: u32,
}

pub type SlotList = Vec<(Slot, AccountInfo)>;

/// The index on disk.
pub trait Bucket: Send + Sync {
    fn read(&self, key: &Pubkey) -> Option<SlotList>;
    fn write(&self, key: &Pubkey, slot_list: &SlotList);
}

struct AccountMapEntry {
    slot_list: RwLock<SlotList>,
    dirty: AtomicBool,
}

impl AccountMapEntry {
    fn new_dirty(slot_list: SlotList) -> Arc<Self> {
        Arc::new(Self { slot_list: RwLock::new(slot_list), dirty: AtomicBool::new(true) })
    }

    fn is_dirty(&self) -> bool {
        self.dirty.load(Ordering::SeqCst)
    }

    fn is_evictable(&self) -> bool {
        !self.is_dirty() //~
    }

    fn update(&self, slot: Slot, info: AccountInfo) {
        let mut slot_list = self.slot_list.write();
        match slot_list.iter_mut().find(|(at, _)| *at == slot) {
            Some((_, old)) => *old = info,
            None => slot_list.push((slot, info)),
        }
        self.dirty.store(true, Ordering::SeqCst);
    }
}

#[derive(Default)]
pub struct Stats {
    pub flushed: AtomicUsize,
    pub evicted: AtomicUsize,
}

/// One bin of the accounts index: what was used lately is in memory, everything is on disk in the end.
pub struct InMemAccountsIndex<B> {
    map: RwLock<HashMap<Pubkey, Arc<AccountMapEntry>>>,
    bucket: B,
    /// One flush at a time.
    flushing: Mutex<()>,
    pub stats: Stats,
}

impl<B: Bucket> InMemAccountsIndex<B> {
    pub fn new(bucket: B) -> Self {
        Self { map: RwLock::default(), bucket, flushing: Mutex::new(()), stats: Stats::default() }
    }

    pub fn get(&self, key: &Pubkey) -> Option<SlotList> {
        if let Some(entry) = self.map.read().get(key) {
            return Some(entry.slot_list.read().clone());
        }
        self.bucket.read(key)
    }

    pub fn upsert(&self, key: &Pubkey, slot: Slot, info: AccountInfo) {
        if let Some(entry) = self.map.read().get(key) {
            entry.update(slot, info);
            return;
        }
        let mut map = self.map.write();
        if let Some(entry) = map.get(key) {
            entry.update(slot, info);
            return;
        }
        let entry = AccountMapEntry::new_dirty(self.bucket.read(key).unwrap_or_default());
        entry.update(slot, info);
        map.insert(*key, entry);
    }

    /// Writes what is dirty to disk; called by the flush threads.
    pub fn flush(&self) {
        let _flushing = self.flushing.lock();
        let dirty: Vec<(Pubkey, Arc<AccountMapEntry>)> = {
            let map = self.map.read();
            map.iter().filter(|(_, entry)| entry.is_dirty()).map(|(key, entry)| (*key, entry.clone())).collect()
        };
        for (key, entry) in dirty {
            self.flush_entry(&key, &entry);
        }
    }

    fn flush_entry(&self, key: &Pubkey, entry: &AccountMapEntry) {
        if !entry.dirty.swap(false, Ordering::SeqCst) { //~
            return;
        }
        let slot_list = entry.slot_list.read().clone();
        self.bucket.write(key, &slot_list); //~
        self.stats.flushed.fetch_add(1, Ordering::Relaxed);
    }

    /// Throws out what is on disk and was not asked to be kept; called by the eviction thread.
    pub fn evict(&self, keep: impl Fn(&Pubkey) -> bool) {
        let mut map = self.map.write();
        let before = map.len();
        map.retain(|key, entry| keep(key) || !entry.is_evictable()); //~
        self.stats.evicted.fetch_add(before - map.len(), Ordering::Relaxed);
    }
}
