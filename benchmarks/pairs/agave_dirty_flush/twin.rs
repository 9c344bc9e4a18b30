// anza-xyz/agave, PR #11988: an entry is Flushing while it is written, and only Clean ones are evicted; it becomes Clean by a compare-exchange from Flushing, which fails if it was updated meanwhile, so it stays Dirty then.
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
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

#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DirtyState {
    Clean,
    Dirty,
    /// Is being written to disk, and was not updated since.
    Flushing,
}

struct AccountMapEntry {
    slot_list: RwLock<SlotList>,
    dirty: AtomicU8,
}

impl AccountMapEntry {
    fn new_dirty(slot_list: SlotList) -> Arc<Self> {
        Arc::new(Self { slot_list: RwLock::new(slot_list), dirty: AtomicU8::new(DirtyState::Dirty as u8) })
    }

    fn is_dirty(&self) -> bool {
        self.dirty.load(Ordering::SeqCst) == DirtyState::Dirty as u8
    }

    fn transition(&self, from: DirtyState, to: DirtyState) -> bool {
        self.dirty.compare_exchange(from as u8, to as u8, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }

    fn is_evictable(&self) -> bool {
        self.dirty.load(Ordering::SeqCst) == DirtyState::Clean as u8
    }

    fn update(&self, slot: Slot, info: AccountInfo) {
        let mut slot_list = self.slot_list.write();
        match slot_list.iter_mut().find(|(at, _)| *at == slot) {
            Some((_, old)) => *old = info,
            None => slot_list.push((slot, info)),
        }
        self.dirty.store(DirtyState::Dirty as u8, Ordering::SeqCst);
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
        if !entry.transition(DirtyState::Dirty, DirtyState::Flushing) {
            return;
        }
        let slot_list = entry.slot_list.read().clone();
        self.bucket.write(key, &slot_list);
        entry.transition(DirtyState::Flushing, DirtyState::Clean);
        self.stats.flushed.fetch_add(1, Ordering::Relaxed);
    }

    /// Throws out what is on disk and was not asked to be kept; called by the eviction thread.
    pub fn evict(&self, keep: impl Fn(&Pubkey) -> bool) {
        let mut map = self.map.write();
        let before = map.len();
        map.retain(|key, entry| keep(key) || !entry.is_evictable());
        self.stats.evicted.fetch_add(before - map.len(), Ordering::Relaxed);
    }
}
