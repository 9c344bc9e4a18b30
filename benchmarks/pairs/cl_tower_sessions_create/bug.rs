// tower-sessions (#41): a session's id was looked up, then inserted; the entry of DashMap since.
use dashmap::{mapref::entry::Entry, DashMap};
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Debug)]
pub struct Record { pub id: u64, pub data: String }

pub struct MemoryStore { sessions: DashMap<u64, Record>, seed: AtomicU64 }

impl MemoryStore {
    pub fn new() -> Self { MemoryStore { sessions: DashMap::new(), seed: AtomicU64::new(7) } }
    fn random(&self) -> u64 { self.seed.fetch_add(0x9e37_79b9, Ordering::Relaxed) % 1000 }
    pub fn create(&self, mut record: Record) -> u64 {
        while self.sessions.contains_key(&record.id) { //~
            record.id = self.random();
        }
        let id = record.id;
        self.sessions.insert(id, record); //~
        id
    }
    pub fn load(&self, id: u64) -> Option<Record> { self.sessions.get(&id).map(|r| r.clone()) }
    pub fn delete(&self, id: u64) { self.sessions.remove(&id); }
}
