// joshrotenberg/tower-mcp, #1294 / PR #1304: a starting task looks at its store token before it registers its live handle, so a `cancel` in between is acknowledged through the store but never reaches the handler.
use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

pub type TaskId = u64;

#[derive(Debug, Clone, PartialEq)]
pub enum TaskStatus {
    Working,
    Completed(Value),
    Cancelled,
}

#[derive(Default)]
struct TaskStore {
    records: Mutex<HashMap<TaskId, (TaskStatus, CancellationToken)>>,
}

impl TaskStore {
    fn create(&self, id: TaskId) -> CancellationToken {
        let token = CancellationToken::new();
        self.records.lock().unwrap().insert(id, (TaskStatus::Working, token.clone()));
        token
    }

    fn finish(&self, id: TaskId, status: TaskStatus) -> bool {
        let mut records = self.records.lock().unwrap();
        match records.get_mut(&id) {
            Some((current, token)) if *current == TaskStatus::Working => {
                if status == TaskStatus::Cancelled {
                    token.cancel();
                }
                *current = status;
                true
            }
            _ => false,
        }
    }
}

/// Runs `tools/call` requests as tasks that the client can poll and cancel.
#[derive(Clone, Default)]
pub struct TaskRouter {
    store: Arc<TaskStore>,
    live: Arc<Mutex<HashMap<TaskId, CancellationToken>>>,
    next_id: Arc<AtomicU64>,
}

impl TaskRouter {
    pub fn start<F, Fut>(&self, handler: F) -> TaskId
    where
        F: FnOnce(CancellationToken) -> Fut + Send + 'static,
        Fut: Future<Output = TaskStatus> + Send,
    {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let stored = self.store.create(id);
        let router = self.clone();
        tokio::spawn(async move {
            let cancelled = CancellationToken::new();
            if stored.is_cancelled() { //~
                cancelled.cancel();
            }
            router.live.lock().unwrap().insert(id, cancelled.clone()); //~
            let outcome = handler(cancelled).await;
            router.store.finish(id, outcome);
            router.live.lock().unwrap().remove(&id);
        });
        id
    }

    /// Whether the cancellation was passed on to the running task or recorded for it.
    pub fn cancel(&self, id: TaskId) -> bool {
        let live = self.live.lock().unwrap().get(&id).cloned(); //~
        match live {
            Some(handle) => {
                handle.cancel();
                true
            }
            None => self.store.finish(id, TaskStatus::Cancelled),
        }
    }

    pub fn status(&self, id: TaskId) -> Option<TaskStatus> {
        self.store.records.lock().unwrap().get(&id).map(|(status, _)| status.clone())
    }
}
