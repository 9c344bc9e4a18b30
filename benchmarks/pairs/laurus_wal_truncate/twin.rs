// Repaired as in PR #897 (truncate_retaining_after): commit takes the store's last applied sequence number in the same lock as it persists the buffer and drops only the records up to it; mutations reach the store in log order, so all of those are persisted, and later ones stay in the log.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// The write-ahead log: survives a crash, is replayed on open.
#[derive(Default)]
pub struct DocumentLog {
    next_seq: u64,
    records: Vec<(u64, u64, String)>,
}

impl DocumentLog {
    fn append(&mut self, id: u64, doc: String) -> u64 {
        self.next_seq += 1;
        self.records.push((self.next_seq, id, doc));
        self.next_seq
    }

    fn truncate_retaining_after(&mut self, seq: u64) {
        self.records.retain(|record| record.0 > seq);
    }
}

/// What survives a crash.
#[derive(Default)]
pub struct Storage {
    log: Mutex<DocumentLog>,
    segments: Mutex<BTreeMap<u64, String>>,
}

/// The index writer: what it buffers is in memory only until it is committed.
#[derive(Default)]
struct LexicalStore {
    buffer: BTreeMap<u64, String>,
    last_wal_seq: u64,
}

impl LexicalStore {
    fn apply(&mut self, seq: u64, id: u64, doc: String) {
        self.buffer.insert(id, doc);
        self.last_wal_seq = seq;
    }

    /// Persists the buffer and returns the last sequence number that it covers.
    fn commit(&mut self, segments: &mut BTreeMap<u64, String>) -> u64 {
        segments.append(&mut self.buffer);
        self.last_wal_seq
    }
}

pub struct Engine {
    storage: Arc<Storage>,
    store: Mutex<LexicalStore>,
}

impl Engine {
    /// Opens the index and replays what the log holds beyond it.
    pub fn open(storage: Arc<Storage>) -> Self {
        let mut store = LexicalStore::default();
        for (seq, id, doc) in &storage.log.lock().unwrap().records {
            store.apply(*seq, *id, doc.clone());
        }
        Engine { storage, store: Mutex::new(store) }
    }

    /// Once this returns, the document survives a crash.
    pub fn put(&self, id: u64, doc: &str) -> u64 {
        let mut log = self.storage.log.lock().unwrap();
        let seq = log.append(id, doc.to_string());
        self.store.lock().unwrap().apply(seq, id, doc.to_string());
        seq
    }

    /// Makes the buffered documents durable and forgets their log records.
    pub fn commit(&self) {
        let mut store = self.store.lock().unwrap();
        let persisted = store.commit(&mut self.storage.segments.lock().unwrap());
        drop(store);
        self.storage.log.lock().unwrap().truncate_retaining_after(persisted);
    }

    pub fn get(&self, id: u64) -> Option<String> {
        let store = self.store.lock().unwrap();
        let buffered = store.buffer.get(&id).cloned();
        buffered.or_else(|| self.storage.segments.lock().unwrap().get(&id).cloned())
    }
}
