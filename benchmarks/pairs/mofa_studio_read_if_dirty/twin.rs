// Repaired as in mofa-org/mofa-studio PR #83: the flag is looked at and taken down while the read lock is held; who
// pushes sets it under the write lock.

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
        let data = self.data.read();
        if self.dirty.load(Ordering::Acquire) {
            let snapshot = data.clone();
            self.dirty.store(false, Ordering::Release);
            Some(snapshot)
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
        let messages = self.messages.read();
        if self.dirty.load(Ordering::Acquire) {
            let snapshot = messages.clone();
            self.dirty.store(false, Ordering::Release);
            Some(snapshot)
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
