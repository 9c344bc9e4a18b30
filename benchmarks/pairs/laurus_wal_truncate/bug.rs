// mosuka/laurus, issue #876 / PR #897: Engine::commit persists the store's buffer and then truncates the whole WAL; a put() of another thread between the two has its record wiped while its document is only in the fresh in-memory buffer, and a crash loses the acknowledged write.
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

    fn truncate(&mut self) {
        self.records.clear();
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

    fn commit(&mut self, segments: &mut BTreeMap<u64, String>) {
        segments.append(&mut self.buffer);
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
        store.commit(&mut self.storage.segments.lock().unwrap()); //~
        drop(store);
        self.storage.log.lock().unwrap().truncate(); //~
    }

    pub fn get(&self, id: u64) -> Option<String> {
        let store = self.store.lock().unwrap();
        let buffered = store.buffer.get(&id).cloned();
        buffered.or_else(|| self.storage.segments.lock().unwrap().get(&id).cloned())
    }
}
