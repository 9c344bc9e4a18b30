// Modelled on mofa-org/mofa-studio PR #83 ("remove race in dirty-read paths").
// `read_if_dirty` copies under the read lock and takes the flag down when the lock has been let go: what a
// worker of the dataflow pushes in between is marked clean, and the user interface does not show it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

use parking_lot::RwLock;

#[derive(Debug, Clone)]
pub struct LogEntry {
    pub node_id: String,
    pub message: String,
}

#[derive(Debug, Clone)]
pub struct ChatMessage {
    pub sender: String,
    pub session_id: Option<String>,
    pub content: String,
    pub is_streaming: bool,
}

/// A vector with dirty tracking and a maximum size.
pub struct DirtyVec<T> {
    data: RwLock<Vec<T>>,
    dirty: AtomicBool,
    max_size: usize,
}

impl<T: Clone> DirtyVec<T> {
    pub fn new(max_size: usize) -> Self {
        Self { data: RwLock::new(Vec::new()), dirty: AtomicBool::new(false), max_size }
    }

    pub fn push(&self, item: T) {
        let mut data = self.data.write();
        data.push(item);
        if data.len() > self.max_size {
            data.remove(0);
        }
        self.dirty.store(true, Ordering::Release);
    }

    pub fn read_if_dirty(&self) -> Option<Vec<T>> {
        if self.dirty.load(Ordering::Acquire) {
            let data = self.data.read().clone(); //~
            self.dirty.store(false, Ordering::Release); //~
            Some(data)
        } else {
            None
        }
    }

    pub fn clear(&self) {
        let mut data = self.data.write();
        data.clear();
        self.dirty.store(true, Ordering::Release);
    }
}

/// Chat messages: pieces of a streaming message become one.
pub struct ChatState {
    messages: RwLock<Vec<ChatMessage>>,
    dirty: AtomicBool,
}

impl ChatState {
    pub fn new() -> Self {
        Self { messages: RwLock::new(Vec::new()), dirty: AtomicBool::new(false) }
    }

    pub fn push(&self, msg: ChatMessage) {
        let mut messages = self.messages.write();
        let existing = messages.iter_mut().find(|m| {
            m.sender == msg.sender && m.is_streaming && m.session_id.is_some() && m.session_id == msg.session_id
        });
        match existing {
            Some(streaming) => {
                streaming.content.push_str(&msg.content);
                streaming.is_streaming = msg.is_streaming;
            }
            None => messages.push(msg),
        }
        self.dirty.store(true, Ordering::Release);
    }

    pub fn read_if_dirty(&self) -> Option<Vec<ChatMessage>> {
        if self.dirty.load(Ordering::Acquire) {
            let messages = self.messages.read().clone(); //~
            self.dirty.store(false, Ordering::Release); //~
            Some(messages)
        } else {
            None
        }
    }
}

/// What the bridges write and the user interface reads by its timer.
pub struct SharedDoraState {
    pub chat: ChatState,
    pub logs: DirtyVec<LogEntry>,
}

impl SharedDoraState {
    pub fn new() -> Arc<Self> {
        Arc::new(Self { chat: ChatState::new(), logs: DirtyVec::new(1000) })
    }
}

pub fn poll_ui(state: &SharedDoraState, show_chat: impl Fn(&[ChatMessage]), show_logs: impl Fn(&[LogEntry])) {
    if let Some(messages) = state.chat.read_if_dirty() {
        show_chat(&messages);
    }
    if let Some(logs) = state.logs.read_if_dirty() {
        show_logs(&logs);
    }
}
