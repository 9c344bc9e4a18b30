//! The activity in which messages are read and written.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use crate::background;
use crate::network::Connection;

const HANDLER: u32 = 1;

/// A message that was sent and is not confirmed yet.
#[derive(Clone)]
struct Pending {
    text: String,
    sent_at: i32,
}

/// A background task that can be told to stop.
#[derive(Default)]
pub struct Cancel {
    cancelled: AtomicBool,
}

#[derive(Default)]
pub struct MessageActivity {
    message_text: Mutex<String>,
    send_enabled: AtomicBool,
    connection: Mutex<Option<Arc<Connection>>>,
    events: Mutex<Vec<String>>,
    pending: Mutex<HashMap<i32, Pending>>,
    buffer: AtomicI32,
    draft: Mutex<String>,
    back_stack: Mutex<Vec<i32>>,
    notifications_task: Mutex<Option<Arc<Cancel>>>,
    excluded: AtomicI32,
    unread: AtomicI32,
    up_indicator: AtomicI32,
}

impl MessageActivity {
    /// The activity is created and comes to the front.
    pub fn on_create(self: Arc<Self>, connection: Arc<Connection>) {
        connection.add_handler(HANDLER);
        *self.connection.lock().unwrap() = Some(connection);
        self.send_enabled.store(true, SeqCst);
        self.buffer.store(0, SeqCst);
    }

    /// The user types: the field has a new text.
    pub fn on_type(self: Arc<Self>, text: String) {
        *self.message_text.lock().unwrap() = text;
    }

    /// "Send" is pressed on the keyboard.
    pub fn on_send(self: Arc<Self>) {
        if !self.send_enabled.load(SeqCst) || self.message_text.lock().unwrap().is_empty() {
            return;
        }
        self.send_enabled.store(false, SeqCst);
        let clock = match &*self.connection.lock().unwrap() {
            Some(connection) => connection.clock_offset.load(SeqCst),
            None => 0,
        };
        let command = Pending { text: self.message_text.lock().unwrap().clone(), sent_at: clock };
        self.events.lock().unwrap().push(command.text.clone());
        let (worker, ui) = (self.clone(), self);
        background::run(move || worker.transmit(command), move |request| ui.transmitted(request));
    }

    /// "Send" is pressed, in the repaired version: what is sent is what was noted, and the field is cleared at once.
    pub fn on_send_noted(self: Arc<Self>) {
        if !self.send_enabled.swap(false, SeqCst) {
            return;
        }
        let text = std::mem::take(&mut *self.message_text.lock().unwrap());
        let command = Pending { text, sent_at: 0 };
        self.events.lock().unwrap().push(command.text.clone());
        let (worker, ui) = (self.clone(), self);
        background::run(
            move || worker.transmit_noted(command),
            move |()| ui.send_enabled.store(true, SeqCst),
        );
    }

    fn transmit_noted(&self, command: Pending) {
        let connection = self.connection.lock().unwrap().clone();
        if let Some(connection) = connection {
            let request = connection.say(&command.text);
            self.pending.lock().unwrap().insert(request, command);
        }
    }

    /// In the background: sends what the field holds now.
    fn transmit(&self, command: Pending) -> Option<i32> {
        let connection = self.connection.lock().unwrap().clone()?;
        let text = self.message_text.lock().unwrap().clone();
        if text.is_empty() {
            return None;
        }
        let request = connection.say(&text);
        self.pending.lock().unwrap().insert(request, command);
        Some(request)
    }

    /// Back on the UI thread: clears the field.
    fn transmitted(&self, request: Option<i32>) {
        if request.is_some() {
            self.message_text.lock().unwrap().clear();
            self.draft.lock().unwrap().clear();
        } else {
            self.send_enabled.store(true, SeqCst);
        }
    }

    /// A user's name is double clicked: it is put into the field.
    pub fn on_user_double_clicked(self: Arc<Self>, user: &str) {
        let mut text = self.message_text.lock().unwrap();
        if text.is_empty() {
            text.push_str(&format!("{user}: "));
        } else {
            text.push_str(&format!(" {user} "));
        }
    }

    /// Another buffer is selected.
    pub fn on_buffer_selected(self: Arc<Self>, buffer: i32) {
        let old = self.buffer.load(SeqCst);
        {
            let mut stack = self.back_stack.lock().unwrap();
            stack.retain(|known| *known != old);
            stack.insert(0, old);
        }
        *self.draft.lock().unwrap() = self.message_text.lock().unwrap().clone();
        self.buffer.store(buffer, SeqCst);
        self.message_text.lock().unwrap().clear();
        self.clone().show_notifications(buffer);
        let (worker, ui) = (self.clone(), self);
        background::run(move || worker.count_unread(), move |unread| ui.up_indicator.store(unread, SeqCst));
    }

    fn count_unread(&self) -> i32 {
        let buffer = self.buffer.load(SeqCst);
        self.unread.load(SeqCst) - buffer
    }

    /// Replaces the task that shows notifications.
    fn show_notifications(self: Arc<Self>, buffer: i32) {
        let task = Arc::new(Cancel::default());
        let old = self.notifications_task.lock().unwrap().replace(task);
        if let Some(old) = old {
            old.cancelled.store(true, SeqCst);
        }
        background::run(
            move || {
                self.excluded.store(buffer, SeqCst);
                *self.notifications_task.lock().unwrap() = None;
            },
            |()| {},
        );
    }

    /// Back navigation: the activity leaves the front.
    pub fn on_back_pressed(self: Arc<Self>) {
        self.clone().show_notifications(-1);
        let connection = self.connection.lock().unwrap().take();
        if let Some(connection) = connection {
            connection.remove_handler(HANDLER);
        }
    }

    /// The messages that are not confirmed, oldest first.
    pub fn unconfirmed(&self) -> Vec<String> {
        let mut pending: Vec<_> = self.pending.lock().unwrap().values().cloned().collect();
        pending.sort_by_key(|message| message.sent_at);
        pending.into_iter().map(|message| message.text).collect()
    }
}
