// slatedb/slatedb, PR #69: put() takes the current memtable out of the state and writes to it after it has let go of the state's lock; the flush thread may freeze that table, write it out and drop it in between, so an acknowledged write lands in a table that nobody reads or flushes any more.
use bytes::Bytes;
use parking_lot::{Mutex, RwLock};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

#[derive(Debug)]
pub enum SlateDbError {
    ObjectStore(String),
    EmptyKey,
}

/// `None` is a tombstone.
type Row = Option<Bytes>;

/// A sorted table in memory, for many writers at once.
#[derive(Default)]
pub struct KVTable {
    rows: Mutex<BTreeMap<Bytes, Row>>,
}

impl KVTable {
    fn put(&self, key: Bytes, row: Row) {
        self.rows.lock().insert(key, row); //~
    }

    fn get(&self, key: &[u8]) -> Option<Row> {
        self.rows.lock().get(key).cloned()
    }

    fn entries(&self) -> Vec<(Bytes, Row)> {
        self.rows.lock().iter().map(|(k, v)| (k.clone(), v.clone())).collect()
    }

    fn is_empty(&self) -> bool {
        self.rows.lock().is_empty()
    }
}

pub struct SsTable {
    pub id: u64,
    rows: Vec<(Bytes, Row)>,
}

impl SsTable {
    pub fn new(id: u64, rows: Vec<(Bytes, Row)>) -> Self {
        Self { id, rows }
    }

    fn get(&self, key: &[u8]) -> Option<Row> {
        let at = self.rows.binary_search_by(|(k, _)| k.as_ref().cmp(key)).ok()?;
        Some(self.rows[at].1.clone())
    }
}

pub trait TableStore: Send + Sync {
    fn write_sst(&self, id: u64, rows: Vec<(Bytes, Row)>) -> Result<SsTable, SlateDbError>;
}

#[derive(Default)]
struct DbState {
    memtable: Arc<KVTable>,
    /// Frozen tables that are not written out yet, the newest in front.
    imm_memtables: VecDeque<Arc<KVTable>>,
    l0: VecDeque<Arc<SsTable>>,
}

pub struct DbInner<S> {
    state: RwLock<DbState>,
    table_store: S,
    next_sst_id: AtomicU64,
    flush_lock: Mutex<()>,
}

impl<S: TableStore> DbInner<S> {
    pub fn open(table_store: S) -> Arc<Self> {
        Arc::new(Self {
            state: RwLock::default(),
            table_store,
            next_sst_id: AtomicU64::new(0),
            flush_lock: Mutex::new(()),
        })
    }

    pub fn put(&self, key: Bytes, value: Bytes) -> Result<(), SlateDbError> {
        self.write(key, Some(value))
    }

    pub fn delete(&self, key: Bytes) -> Result<(), SlateDbError> {
        self.write(key, None)
    }

    fn write(&self, key: Bytes, row: Row) -> Result<(), SlateDbError> {
        if key.is_empty() {
            return Err(SlateDbError::EmptyKey);
        }
        let current_memtable = self.state.read().memtable.clone(); //~
        current_memtable.put(key, row);
        Ok(())
    }

    pub fn get(&self, key: &[u8]) -> Option<Bytes> {
        let state = self.state.read();
        let in_memory = std::iter::once(&state.memtable).chain(&state.imm_memtables).find_map(|table| table.get(key));
        in_memory.or_else(|| state.l0.iter().find_map(|sst| sst.get(key))).flatten()
    }

    fn freeze_memtable(&self) {
        let mut guard = self.state.write();
        if guard.memtable.is_empty() {
            return;
        }
        let frozen = std::mem::take(&mut guard.memtable);
        guard.imm_memtables.push_front(frozen);
    }

    /// Writes out everything that was written before; called by the flush thread and on close.
    pub fn flush(&self) -> Result<usize, SlateDbError> {
        let _flushing = self.flush_lock.lock();
        self.freeze_memtable();
        let mut flushed = 0;
        loop {
            let oldest = self.state.read().imm_memtables.back().cloned();
            let Some(imm) = oldest else { return Ok(flushed) };
            let id = self.next_sst_id.fetch_add(1, Ordering::Relaxed);
            let sst = self.table_store.write_sst(id, imm.entries())?;
            let mut guard = self.state.write();
            guard.imm_memtables.pop_back();
            guard.l0.push_front(Arc::new(sst));
            flushed += 1;
        }
    }
}
