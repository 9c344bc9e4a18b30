// wecode-ai/Wegent (PR #1563 review), repaired: the map is locked before the task is spawned and the handle inserted under that guard, so the task cannot remove its entry earlier; and it removes only the entry of its own run.
use async_trait::async_trait;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskStatus {
    Running,
    Completed,
    Failed,
    Cancelled,
}

#[derive(Clone, Debug)]
pub struct TaskEvent {
    pub task_id: u64,
    pub status: TaskStatus,
    pub detail: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ExecutionRequest {
    pub task_id: u64,
    pub subtask_id: u64,
    pub prompt: String,
    pub workdir: Option<String>,
}

#[async_trait]
pub trait Engine: Send + Sync + 'static {
    async fn run(&self, request: &ExecutionRequest) -> Result<String, String>;
}

#[derive(Clone)]
struct EventBuilder {
    task_id: u64,
    tx: mpsc::UnboundedSender<TaskEvent>,
}

impl EventBuilder {
    fn emit(&self, status: TaskStatus, detail: impl Into<Option<String>>) {
        let event = TaskEvent { task_id: self.task_id, status, detail: detail.into() };
        let _ = self.tx.send(event);
    }
}

struct ManagedTaskHandle {
    run: u64,
    builder: EventBuilder,
    handle: JoinHandle<()>,
}

#[derive(Clone, Default)]
struct ManagedTasks {
    next_run: Arc<AtomicU64>,
    handles: Arc<Mutex<HashMap<u64, ManagedTaskHandle>>>,
}

impl ManagedTasks {
    fn finish(&self, task_id: u64, run: u64) -> bool {
        let mut handles = self.handles.lock().expect("managed task lock");
        let own = handles.get(&task_id).is_some_and(|entry| entry.run == run);
        if own {
            handles.remove(&task_id);
        }
        own
    }

    fn register(&self, task_id: u64, start: impl FnOnce() -> ManagedTaskHandle) {
        let mut handles = self.handles.lock().expect("managed task lock");
        if let Some(previous) = handles.remove(&task_id) {
            previous.handle.abort();
        }
        handles.insert(task_id, start());
    }
}

pub struct LocalBackend<E> {
    engine: Arc<E>,
    tasks: ManagedTasks,
    events: mpsc::UnboundedSender<TaskEvent>,
}

async fn run_managed_task<E: Engine>(engine: Arc<E>, request: ExecutionRequest, run: u64, tasks: ManagedTasks, builder: EventBuilder) {
    match engine.run(&request).await {
        Ok(output) => builder.emit(TaskStatus::Completed, output),
        Err(error) => builder.emit(TaskStatus::Failed, error),
    }
    tasks.finish(request.task_id, run);
}

impl<E: Engine> LocalBackend<E> {
    pub fn new(engine: E) -> (Self, mpsc::UnboundedReceiver<TaskEvent>) {
        let (events, rx) = mpsc::unbounded_channel();
        (Self { engine: Arc::new(engine), tasks: ManagedTasks::default(), events }, rx)
    }

    fn builder(&self, task_id: u64) -> EventBuilder {
        EventBuilder { task_id, tx: self.events.clone() }
    }

    /// Starts a task in the background; must be called within a runtime.
    pub fn dispatch(&self, request: ExecutionRequest) -> TaskStatus {
        let task_id = request.task_id;
        let builder = self.builder(task_id);
        builder.emit(TaskStatus::Running, None);
        let run = self.tasks.next_run.fetch_add(1, Ordering::Relaxed);
        let work = run_managed_task(self.engine.clone(), request, run, self.tasks.clone(), builder.clone());
        self.tasks.register(task_id, || ManagedTaskHandle { run, builder, handle: tokio::spawn(work) });
        TaskStatus::Running
    }

    pub fn cancel_task(&self, task_id: u64) -> bool {
        let entry = self.tasks.handles.lock().expect("managed task lock").remove(&task_id);
        match entry {
            Some(entry) => {
                entry.handle.abort();
                entry.builder.emit(TaskStatus::Cancelled, "cancelled by user".to_owned());
                true
            }
            None => false,
        }
    }

    pub fn running(&self) -> Vec<u64> {
        let mut ids: Vec<_> = self.tasks.handles.lock().expect("managed task lock").keys().copied().collect();
        ids.sort_unstable();
        ids
    }
}

impl<E> Drop for LocalBackend<E> {
    fn drop(&mut self) {
        for (_, entry) in self.tasks.handles.lock().expect("managed task lock").drain() {
            entry.handle.abort();
        }
    }
}
