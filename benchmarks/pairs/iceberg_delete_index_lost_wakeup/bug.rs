// apache/iceberg-rust PR #2696: state seen as Populating, lock released, Notified made only afterwards; notify_waiters in between is lost: waits for ever.
use futures::channel::mpsc::{channel, Sender};
use futures::StreamExt;
use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use tokio::sync::Notify;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataContentType {
    EqualityDeletes,
    PositionDeletes,
}

#[derive(Debug, Clone)]
pub struct DeleteFileContext {
    pub file_path: String,
    pub content_type: DataContentType,
    pub partition: String,
    pub sequence_number: i64,
}

#[derive(Debug, Clone)]
pub struct DeleteFileIndex {
    state: Arc<RwLock<DeleteFileIndexState>>,
}

#[derive(Debug)]
enum DeleteFileIndexState {
    Populating(Arc<Notify>),
    Populated(PopulatedDeleteFileIndex),
}

#[derive(Debug)]
struct PopulatedDeleteFileIndex {
    global_equality_deletes: Vec<Arc<DeleteFileContext>>,
    deletes_by_partition: HashMap<String, Vec<Arc<DeleteFileContext>>>,
}

impl DeleteFileIndex {
    pub fn new() -> (DeleteFileIndex, Sender<DeleteFileContext>) {
        let (tx, rx) = channel(10);
        let notify = Arc::new(Notify::new());
        let state = Arc::new(RwLock::new(DeleteFileIndexState::Populating(notify.clone())));
        let delete_file_stream = rx.boxed();

        tokio::spawn({
            let state = state.clone();
            async move {
                let delete_files = delete_file_stream.collect::<Vec<_>>().await;
                let populated = PopulatedDeleteFileIndex::new(delete_files);
                {
                    let mut guard = state.write().unwrap();
                    *guard = DeleteFileIndexState::Populated(populated);
                }
                notify.notify_waiters();
            }
        });

        (DeleteFileIndex { state }, tx)
    }

    pub async fn get_deletes_for_data_file(&self, partition: &str, seq_num: i64) -> Vec<String> {
        let notifier = {
            let guard = self.state.read().unwrap();
            match *guard {
                DeleteFileIndexState::Populating(ref notifier) => notifier.clone(),
                DeleteFileIndexState::Populated(ref index) => {
                    return index.get_deletes_for_data_file(partition, seq_num);
                }
            }
        };

        notifier.notified().await;

        let guard = self.state.read().unwrap();
        match &*guard {
            DeleteFileIndexState::Populated(index) => index.get_deletes_for_data_file(partition, seq_num),
            _ => unreachable!("Cannot be any other state than loaded"),
        }
    }
}

impl PopulatedDeleteFileIndex {
    fn new(files: Vec<DeleteFileContext>) -> Self {
        let mut deletes_by_partition: HashMap<String, Vec<Arc<DeleteFileContext>>> = HashMap::new();
        let mut global_equality_deletes = vec![];
        for ctx in files.into_iter().map(Arc::new) {
            if !ctx.partition.is_empty() {
                deletes_by_partition.entry(ctx.partition.clone()).or_default().push(ctx);
            } else if ctx.content_type == DataContentType::EqualityDeletes {
                global_equality_deletes.push(ctx);
            }
        }
        PopulatedDeleteFileIndex { global_equality_deletes, deletes_by_partition }
    }

    fn get_deletes_for_data_file(&self, partition: &str, seq_num: i64) -> Vec<String> {
        self.global_equality_deletes
            .iter()
            .chain(self.deletes_by_partition.get(partition).into_iter().flatten())
            .filter(|delete| delete.sequence_number > seq_num)
            .map(|delete| delete.file_path.clone())
            .collect()
    }
}
