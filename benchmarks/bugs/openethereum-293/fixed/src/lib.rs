//! A connection that registers itself with the event loop once.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Mutex;

#[derive(Default)]
pub struct Connection {
    registered: AtomicBool,
    event_loop: Mutex<Vec<usize>>,
}

impl Connection {
    /// Registers the socket under `token`, unless it is registered.
    pub fn register_socket(&self, token: usize) {
        if self.registered.swap(true, SeqCst) {
            return;
        }
        self.event_loop.lock().unwrap().push(token);
    }
}
