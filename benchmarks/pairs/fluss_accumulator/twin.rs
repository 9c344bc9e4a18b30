// Source: apache/fluss-rust issue #135, pull request #145 (potential deadlock with holding lock during await)
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;

use dashmap::DashMap;
use tokio::sync::Mutex;

pub type BucketId = i32;
pub type TablePath = String;

// Type alias to simplify complex nested types
type BucketBatches = Vec<Arc<Mutex<VecDeque<WriteBatch>>>>;

const MAX_BATCH_RECORDS: usize = 1024;

pub struct WriteBatch {
    pub batch_id: i64,
    pub table_path: TablePath,
    pub bucket_id: BucketId,
    records: Vec<Vec<u8>>,
}

impl WriteBatch {
    fn try_append(&mut self, record: &[u8]) -> bool {
        if self.is_closed() {
            return false;
        }
        self.records.push(record.to_vec());
        true
    }

    fn is_closed(&self) -> bool {
        self.records.len() >= MAX_BATCH_RECORDS
    }
}

#[derive(Default)]
struct BucketAndWriteBatches {
    batches: HashMap<BucketId, Arc<Mutex<VecDeque<WriteBatch>>>>,
}

pub struct RecordAppendResult {
    pub batch_is_full: bool,
    pub new_batch_created: bool,
    pub abort_record_for_new_batch: bool,
}

#[derive(Default)]
pub struct RecordAccumulator {
    write_batches: DashMap<TablePath, BucketAndWriteBatches>,
    batch_id: AtomicI64,
}

impl RecordAccumulator {
    pub fn new() -> Self {
        Self::default()
    }

    fn append_new_batch(
        &self,
        table_path: &TablePath,
        record: &[u8],
        bucket_id: BucketId,
        dq: &mut VecDeque<WriteBatch>,
    ) -> RecordAppendResult {
        dq.push_back(WriteBatch {
            batch_id: self.batch_id.fetch_add(1, Ordering::Relaxed),
            table_path: table_path.clone(),
            bucket_id,
            records: vec![record.to_vec()],
        });
        RecordAppendResult {
            batch_is_full: dq.len() > 1,
            new_batch_created: true,
            abort_record_for_new_batch: false,
        }
    }

    pub async fn append(
        &self,
        table_path: &TablePath,
        record: &[u8],
        bucket_id: BucketId,
        abort_if_batch_full: bool,
    ) -> RecordAppendResult {
        let dq = {
            let mut binding = self.write_batches.entry(table_path.clone()).or_default();
            let bucket_and_batches = binding.value_mut();
            bucket_and_batches
                .batches
                .entry(bucket_id)
                .or_insert_with(|| Arc::new(Mutex::new(VecDeque::new())))
                .clone()
        };

        let mut dq_guard = dq.lock().await;
        let dq_size = dq_guard.len();
        if let Some(last_batch) = dq_guard.back_mut() {
            if last_batch.try_append(record) {
                return RecordAppendResult {
                    batch_is_full: dq_size > 1 || last_batch.is_closed(),
                    new_batch_created: false,
                    abort_record_for_new_batch: false,
                };
            }
        }

        if abort_if_batch_full {
            return RecordAppendResult {
                batch_is_full: true,
                new_batch_created: false,
                abort_record_for_new_batch: true,
            };
        }
        self.append_new_batch(table_path, record, bucket_id, &mut dq_guard)
    }

    /// The tables that have something to send.
    pub async fn ready(&self) -> HashSet<TablePath> {
        // Snapshot just the Arcs we need, avoiding cloning the entire BucketAndWriteBatches struct
        let entries: Vec<(TablePath, BucketBatches)> = self
            .write_batches
            .iter()
            .map(|entry| {
                let bucket_batches = entry.value().batches.values().cloned().collect();
                (entry.key().clone(), bucket_batches)
            })
            .collect();

        let mut ready_tables = HashSet::new();
        for (table_path, bucket_batches) in entries {
            for batch in bucket_batches {
                let batch_guard = batch.lock().await;
                if let Some(batch) = batch_guard.front() {
                    if batch_guard.len() > 1 || batch.is_closed() {
                        ready_tables.insert(table_path.clone());
                    }
                }
            }
        }
        ready_tables
    }

    pub async fn re_enqueue(&self, write_batch: WriteBatch) {
        let table_path = write_batch.table_path.clone();
        let dq = {
            let mut binding = self.write_batches.entry(table_path).or_default();
            binding
                .value_mut()
                .batches
                .entry(write_batch.bucket_id)
                .or_insert_with(|| Arc::new(Mutex::new(VecDeque::new())))
                .clone()
        };
        let mut dq_guard = dq.lock().await;
        dq_guard.push_front(write_batch);
    }

    pub fn tables(&self) -> usize {
        self.write_batches.len()
    }
}
