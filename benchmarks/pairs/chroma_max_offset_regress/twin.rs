// chroma-core/chroma PR #3192: repaired as there.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use tokio::sync::RwLock;

const MAX_OFFSET_ID: &str = "max_offset_id";

struct BlockfileWriter<V> {
    blocks: RwLock<HashMap<(String, String), V>>,
}

impl<V> BlockfileWriter<V> {
    fn new() -> Self {
        BlockfileWriter { blocks: RwLock::new(HashMap::new()) }
    }

    async fn set(&self, prefix: &str, key: &str, value: V) {
        let mut blocks = self.blocks.write().await;
        blocks.insert((prefix.to_string(), key.to_string()), value);
    }

    fn commit(self) -> HashMap<(String, String), V> {
        self.blocks.into_inner()
    }
}

pub struct MaterializedLogRecord {
    user_id: String,
    offset_id: u32,
}

pub struct LogMaterializer {
    curr_offset_id: Arc<AtomicU32>,
}

impl LogMaterializer {
    pub fn new(curr_offset_id: Arc<AtomicU32>) -> Self {
        LogMaterializer { curr_offset_id }
    }

    pub fn materialize(&self, user_ids: Vec<String>) -> Vec<MaterializedLogRecord> {
        user_ids
            .into_iter()
            .map(|user_id| {
                let offset_id = self.curr_offset_id.fetch_add(1, Ordering::SeqCst);
                MaterializedLogRecord { user_id, offset_id }
            })
            .collect()
    }
}

pub struct RecordSegmentFlusher {
    pub id_to_user_id: HashMap<(String, String), String>,
    pub max_offset_id: HashMap<(String, String), u32>,
}

pub struct RecordSegmentWriter {
    id_to_user_id: BlockfileWriter<String>,
    max_offset_id: BlockfileWriter<u32>,
    max_new_offset_id: AtomicU32,
}

impl Default for RecordSegmentWriter {
    fn default() -> Self {
        RecordSegmentWriter {
            id_to_user_id: BlockfileWriter::new(),
            max_offset_id: BlockfileWriter::new(),
            max_new_offset_id: AtomicU32::new(0),
        }
    }
}

impl RecordSegmentWriter {
    pub async fn apply_materialized_log_chunk(&self, records: Vec<MaterializedLogRecord>) {
        let mut max_new_offset_id = 0;
        for log_record in records.iter() {
            self.id_to_user_id
                .set("", &log_record.offset_id.to_string(), log_record.user_id.clone())
                .await;
            max_new_offset_id = max_new_offset_id.max(log_record.offset_id);
        }
        self.max_new_offset_id
            .fetch_max(max_new_offset_id, Ordering::SeqCst);
    }

    pub async fn commit(self) -> RecordSegmentFlusher {
        let max_new_offset_id = self.max_new_offset_id.load(Ordering::SeqCst);
        if max_new_offset_id > 0 {
            self.max_offset_id
                .set("", MAX_OFFSET_ID, max_new_offset_id)
                .await;
        }
        RecordSegmentFlusher {
            id_to_user_id: self.id_to_user_id.commit(),
            max_offset_id: self.max_offset_id.commit(),
        }
    }
}
