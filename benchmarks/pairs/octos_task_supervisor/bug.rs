// octos-org/octos issue #927
use dashmap::DashMap;
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use tokio::sync::Notify;
use tokio_util::task::AbortOnDropHandle;

#[derive(Debug, PartialEq, Eq)]
pub enum TaskOutcome<T> {
    Completed(T),
    Cancelled,
    Panicked(String),
}

#[derive(Default)]
pub struct CancelLatch {
    fired: AtomicBool,
    notify: Notify,
}

impl CancelLatch {
    pub fn cancel(&self) {
        self.fired.store(true, Ordering::SeqCst);
        self.notify.notify_waiters();
    }

    pub fn is_cancelled(&self) -> bool {
        self.fired.load(Ordering::SeqCst)
    }

    pub async fn cancelled(&self) {
        while !self.is_cancelled() {
            self.notify.notified().await;
        }
    }
}

struct TaskEntry {
    label: String,
    latch: Arc<CancelLatch>,
}

pub struct TaskHandle<T> {
    pub id: u64,
    handle: AbortOnDropHandle<TaskOutcome<T>>,
}

impl<T> TaskHandle<T> {
    pub async fn join(self) -> TaskOutcome<T> {
        match self.handle.await {
            Ok(outcome) => outcome,
            Err(err) if err.is_cancelled() => TaskOutcome::Cancelled,
            Err(err) => TaskOutcome::Panicked(err.to_string()),
        }
    }
}

struct Deregister {
    supervisor: Arc<TaskSupervisor>,
    id: u64,
}

impl Drop for Deregister {
    fn drop(&mut self) {
        self.supervisor.tasks.remove(&self.id);
    }
}

#[derive(Default)]
pub struct TaskSupervisor {
    tasks: DashMap<u64, TaskEntry>,
    next_id: AtomicU64,
}

impl TaskSupervisor {
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    pub fn spawn<F, Fut, T>(self: &Arc<Self>, label: &str, build: F) -> TaskHandle<T>
    where
        F: FnOnce(Arc<CancelLatch>) -> Fut,
        Fut: Future<Output = T> + Send + 'static,
        T: Send + 'static,
    {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let latch = Arc::new(CancelLatch::default());
        let work = build(Arc::clone(&latch));
        self.tasks.insert(id, TaskEntry { label: label.into(), latch: latch.clone() });
        let registration = Deregister {
            supervisor: Arc::clone(self),
            id,
        };
        let handle = tokio::spawn(async move {
            let _registration = registration;
            tokio::select! {
                value = work => TaskOutcome::Completed(value),
                _ = latch.cancelled() => TaskOutcome::Cancelled,
            }
        });
        TaskHandle { id, handle: AbortOnDropHandle::new(handle) }
    }

    pub fn cancel(&self, id: u64) -> bool {
        match self.tasks.get(&id) {
            Some(task) => {
                tracing::info!(id, label = %task.label, "cancelling");
                task.latch.cancel();
                true
            }
            None => false,
        }
    }
}
