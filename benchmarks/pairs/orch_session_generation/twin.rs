// Repaired as in gabrielkoerich/orch PR #1917: the next generation is worked out and the buffer inserted in one
// section under the write lock.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::RwLock;
use tokio_util::sync::CancellationToken;

type SessionKey = String;

fn session_key(repo: &str, task_id: &str) -> SessionKey {
    format!("{repo}#{task_id}")
}

#[derive(Debug, Clone)]
pub struct OutputChunk {
    pub key: String,
    pub generation: u64,
    pub content: String,
}

#[async_trait]
pub trait Tmux: Send + Sync + 'static {
    async fn capture_pane(&self, session: &str) -> anyhow::Result<String>;
}

#[async_trait]
pub trait Transport: Send + Sync + 'static {
    async fn push_output(&self, chunk: OutputChunk);
}

#[derive(Debug, Clone)]
struct OutputBuffer {
    session: String,
    generation: u64,
    last_content: String,
}

impl OutputBuffer {
    fn new(session: &str, generation: u64) -> Self {
        Self { session: session.to_string(), generation, last_content: String::new() }
    }

    fn advance(&mut self, current: String) -> Option<String> {
        let fresh = match current.strip_prefix(self.last_content.as_str()) {
            Some(rest) => rest.to_string(),
            None => current.clone(),
        };
        self.last_content = current;
        (!fresh.is_empty()).then_some(fresh)
    }
}

type Buffers = Arc<RwLock<HashMap<SessionKey, OutputBuffer>>>;

#[derive(Clone)]
pub struct CaptureService {
    buffers: Buffers,
}

impl CaptureService {
    pub fn new<M: Tmux, T: Transport>(tmux: M, transport: T, interval: Duration) -> (Self, CaptureLoop<M, T>) {
        let buffers = Buffers::default();
        let service = Self { buffers: buffers.clone() };
        (service, CaptureLoop { buffers, tmux, transport, interval })
    }

    pub async fn register_session(&self, repo: &str, task_id: &str, session: &str) -> u64 {
        let key = session_key(repo, task_id);
        let generation = {
            let mut buffers = self.buffers.write().await;
            let generation = buffers.get(&key).map_or(0, |b| b.generation + 1);
            buffers.insert(key, OutputBuffer::new(session, generation));
            generation
        };
        tracing::debug!(task_id, session, generation, "session registered for capture");
        generation
    }
}

pub struct CaptureLoop<M, T> {
    buffers: Buffers,
    tmux: M,
    transport: T,
    interval: Duration,
}

impl<M: Tmux, T: Transport> CaptureLoop<M, T> {
    pub async fn run(self, stop: CancellationToken) {
        let mut interval = tokio::time::interval(self.interval);
        loop {
            tokio::select! {
                _ = interval.tick() => self.tick().await,
                _ = stop.cancelled() => return,
            }
        }
    }

    async fn tick(&self) {
        let sessions: Vec<(SessionKey, String, u64)> = {
            let buffers = self.buffers.read().await;
            buffers.iter().map(|(k, b)| (k.clone(), b.session.clone(), b.generation)).collect()
        };
        for (key, session, generation) in sessions {
            let current = match self.tmux.capture_pane(&session).await {
                Ok(current) => current,
                Err(error) => {
                    tracing::debug!(%error, session, "nothing captured");
                    continue;
                }
            };
            let fresh = match self.buffers.write().await.get_mut(&key) {
                Some(buffer) if buffer.generation == generation => buffer.advance(current),
                _ => None,
            };
            if let Some(content) = fresh {
                self.transport.push_output(OutputChunk { key, generation, content }).await;
            }
        }
    }
}
