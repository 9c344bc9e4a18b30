// mezmo/aura (PR #145): the streaming endpoint takes a snapshot of the task and subscribes to its events afterwards; an event of the worker in between (say, Completed) reaches nobody and the client waits forever.
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::routing::{get, post};
use axum::Router;
use futures::stream::{self, Stream, StreamExt};
use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use tokio::sync::broadcast::{self, error::RecvError};
use tokio::sync::RwLock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskState {
    Submitted,
    Working,
    Completed,
    Failed,
}

impl TaskState {
    fn is_terminal(self) -> bool {
        matches!(self, TaskState::Completed | TaskState::Failed)
    }
}

#[derive(Clone, Debug)]
pub struct Task {
    pub id: String,
    pub state: TaskState,
    pub artifacts: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct StatusUpdate {
    pub task_id: String,
    pub state: TaskState,
}

#[derive(Default)]
pub struct TaskStore {
    tasks: RwLock<HashMap<String, Task>>,
}

impl TaskStore {
    pub async fn get(&self, id: &str) -> Option<Task> {
        self.tasks.read().await.get(id).cloned() //~
    }

    pub async fn update(&self, id: &str, f: impl FnOnce(&mut Task)) -> Option<TaskState> {
        let mut tasks = self.tasks.write().await;
        let task = tasks.get_mut(id)?;
        f(task);
        Some(task.state)
    }
}

#[derive(Clone)]
pub struct AppState {
    store: Arc<TaskStore>,
    event_tx: broadcast::Sender<StatusUpdate>,
    next_id: Arc<AtomicU64>,
}

impl AppState {
    pub fn new() -> Self {
        let (event_tx, _) = broadcast::channel(256);
        Self { store: Arc::default(), event_tx, next_id: Arc::new(AtomicU64::new(1)) }
    }

    async fn set_state(&self, id: &str, state: TaskState, artifact: Option<String>) {
        let updated = self.store.update(id, |task| {
            task.state = state; //~
            task.artifacts.extend(artifact);
        });
        if let Some(state) = updated.await {
            let _ = self.event_tx.send(StatusUpdate { task_id: id.to_owned(), state }); //~
        }
    }

    async fn run(self, id: String, prompt: String) {
        self.set_state(&id, TaskState::Working, None).await;
        tokio::task::yield_now().await;
        let (state, artifact) = match prompt.trim() {
            "" => (TaskState::Failed, None),
            text => (TaskState::Completed, Some(text.to_uppercase())),
        };
        self.set_state(&id, state, artifact).await;
    }
}

async fn send_message(State(app): State<AppState>, body: String) -> String {
    let id = format!("task-{}", app.next_id.fetch_add(1, Ordering::Relaxed));
    let task = Task { id: id.clone(), state: TaskState::Submitted, artifacts: Vec::new() };
    app.store.tasks.write().await.insert(id.clone(), task);
    tokio::spawn(app.clone().run(id.clone(), body));
    id
}

fn updates_of(id: String, rx: broadcast::Receiver<StatusUpdate>, done: bool) -> impl Stream<Item = StatusUpdate> {
    stream::unfold((rx, id, done), |(mut rx, id, done)| async move {
        if done {
            return None;
        }
        loop {
            match rx.recv().await {
                Ok(update) if update.task_id == id => {
                    let done = update.state.is_terminal();
                    return Some((update, (rx, id, done)));
                }
                Ok(_) | Err(RecvError::Lagged(_)) => continue,
                Err(RecvError::Closed) => return None,
            }
        }
    })
}

async fn subscribe_to_task(
    State(app): State<AppState>,
    Path(id): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, StatusCode> {
    let task = app.store.get(&id).await.ok_or(StatusCode::NOT_FOUND)?; //~
    let rx = app.event_tx.subscribe(); //~
    let first = StatusUpdate { task_id: task.id.clone(), state: task.state };
    let rest = updates_of(task.id, rx, task.state.is_terminal());
    let events = stream::once(async move { first })
        .chain(rest)
        .map(|update| Ok(Event::default().event("status").data(format!("{:?}", update.state))));
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

pub fn router(app: AppState) -> Router {
    Router::new()
        .route("/v1/message:stream", post(send_message))
        .route("/v1/tasks/{id}/subscribe", get(subscribe_to_task))
        .with_state(app)
}
