// Repaired: the task has a `Weak`; once the session is dropped the channel closes and the task returns.
//! Sessions of a coding agent: each has a bus of events and a listener that writes the transcript.
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::sync::broadcast::{self, error::RecvError};

#[derive(Debug, Clone)]
pub enum Event {
    Prompt(String),
    Answer(String),
    ToolFinished { tool: String, code: i32 },
}

pub struct Session {
    events: broadcast::Sender<Event>,
    transcript: Mutex<Vec<String>>,
    open: Arc<AtomicUsize>,
}

impl Session {
    fn new(open: Arc<AtomicUsize>) -> Arc<Session> {
        open.fetch_add(1, Ordering::Relaxed);
        let (events, _) = broadcast::channel(64);
        let session = Arc::new(Session { events, transcript: Mutex::default(), open });
        session.clone().listen();
        session
    }

    fn listen(self: Arc<Self>) {
        let mut events = self.events.subscribe();
        let session = Arc::downgrade(&self);
        tokio::spawn(async move {
            loop {
                match events.recv().await {
                    Ok(event) => match session.upgrade() {
                        Some(session) => session.note(event),
                        None => return,
                    },
                    Err(RecvError::Lagged(missed)) => tracing::warn!("{missed} events missed"),
                    Err(RecvError::Closed) => return,
                }
            }
        });
    }

    fn note(&self, event: Event) {
        let line = match event {
            Event::Prompt(text) => format!("> {text}"),
            Event::Answer(text) => text,
            Event::ToolFinished { tool, code } => format!("[{tool} ended with {code}]"),
        };
        self.transcript.lock().unwrap().push(line);
    }

    pub fn publish(&self, event: Event) {
        let _ = self.events.send(event);
    }

    pub fn transcript(&self) -> String {
        self.transcript.lock().unwrap().join("\n")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Default)]
pub struct Sessions {
    by_id: Mutex<HashMap<u64, Arc<Session>>>,
    open: Arc<AtomicUsize>,
}

impl Sessions {
    pub fn open(&self, id: u64) -> Arc<Session> {
        let mut by_id = self.by_id.lock().unwrap();
        by_id.entry(id).or_insert_with(|| Session::new(self.open.clone())).clone()
    }

    /// Ends the session; its listener goes as soon as nobody uses it any more.
    pub fn close(&self, id: u64) {
        self.by_id.lock().unwrap().remove(&id);
    }

    pub fn open_sessions(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}
