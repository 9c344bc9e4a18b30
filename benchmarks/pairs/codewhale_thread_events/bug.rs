// Hmbown/Codewhale issue 4514: `stream_thread_events` reads the backlog and then subscribes; `emit_event` persists and broadcasts in between: the event reaches neither, a turn waits for an approval that nobody sees.
//! Runtime web API: a client gets the persisted events of a thread and then the live ones.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::{broadcast, mpsc};

#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    ItemStarted,
    ItemCompleted,
    ApprovalRequired { call_id: String },
    UserInputRequired { question: String },
}

#[derive(Debug, Clone, PartialEq)]
pub struct RuntimeEvent {
    pub thread_id: String,
    pub seq: u64,
    pub kind: EventKind,
}

#[derive(Default)]
struct ThreadLog {
    events: Vec<RuntimeEvent>,
}

pub struct RuntimeThreadManager {
    threads: Mutex<HashMap<String, ThreadLog>>,
    event_tx: broadcast::Sender<RuntimeEvent>,
}

impl RuntimeThreadManager {
    pub fn new() -> Arc<Self> {
        let (event_tx, _) = broadcast::channel(1024);
        Arc::new(Self { threads: Mutex::new(HashMap::new()), event_tx })
    }

    pub fn create_thread(&self, thread_id: &str) {
        self.threads.lock().unwrap().entry(thread_id.to_string()).or_default();
    }

    /// Persists the event under the thread's next sequence number and tells the live clients.
    pub fn emit_event(&self, thread_id: &str, kind: EventKind) -> Option<u64> {
        let mut threads = self.threads.lock().unwrap();
        let log = threads.get_mut(thread_id)?;
        let seq = log.events.last().map_or(1, |e| e.seq + 1);
        let event = RuntimeEvent { thread_id: thread_id.to_string(), seq, kind };
        log.events.push(event.clone()); //~
        let _ = self.event_tx.send(event); //~
        Some(seq)
    }

    pub fn events_since(&self, thread_id: &str, since_seq: u64) -> Option<Vec<RuntimeEvent>> {
        let threads = self.threads.lock().unwrap();
        let log = threads.get(thread_id)?;
        Some(log.events.iter().filter(|e| e.seq > since_seq).cloned().collect())
    }

    pub fn subscribe_events(&self) -> broadcast::Receiver<RuntimeEvent> {
        self.event_tx.subscribe()
    }
}

#[derive(Clone)]
pub struct RuntimeApiState {
    pub runtime_threads: Arc<RuntimeThreadManager>,
}

impl RuntimeApiState {
    /// `GET /v1/threads/{id}/events?since_seq=N`
    pub async fn stream_thread_events(
        &self,
        thread_id: String,
        since_seq: u64,
    ) -> Option<mpsc::Receiver<RuntimeEvent>> {
        let backlog = self.runtime_threads.events_since(&thread_id, since_seq)?; //~
        let mut rx = self.runtime_threads.subscribe_events(); //~
        let (out, stream) = mpsc::channel(64);
        let runtime_threads = self.runtime_threads.clone();

        tokio::spawn(async move {
            let mut last_seq = since_seq;
            for event in backlog {
                last_seq = event.seq;
                if out.send(event).await.is_err() {
                    return;
                }
            }
            loop {
                let pending = match rx.recv().await {
                    Ok(event) if event.thread_id == thread_id && event.seq > last_seq => {
                        vec![event]
                    }
                    Ok(_) => continue,
                    Err(broadcast::error::RecvError::Lagged(_)) => {
                        runtime_threads.events_since(&thread_id, last_seq).unwrap_or_default()
                    }
                    Err(broadcast::error::RecvError::Closed) => return,
                };
                for event in pending {
                    last_seq = event.seq;
                    if out.send(event).await.is_err() {
                        return;
                    }
                }
            }
        });
        Some(stream)
    }

    /// `POST /v1/threads/{id}/approvals`
    pub async fn request_approval(&self, thread_id: &str, call_id: &str) -> Option<u64> {
        self.runtime_threads
            .emit_event(thread_id, EventKind::ApprovalRequired { call_id: call_id.to_string() })
    }
}
