//! The connection to the server, and what it knows of the user.

use std::sync::atomic::{AtomicI32, Ordering::SeqCst};
use std::sync::Mutex;

#[derive(Default)]
pub struct UserInfo {
    pub name: Mutex<String>,
    pub preferences: Mutex<String>,
}

#[derive(Default)]
pub struct Connection {
    pub user: UserInfo,
    pub clock_offset: AtomicI32,
    handlers: Mutex<Vec<u32>>,
    requests: AtomicI32,
}

impl Connection {
    /// Sends a line; the number of the request.
    pub fn say(&self, _text: &str) -> i32 {
        self.requests.fetch_add(1, SeqCst)
    }

    pub fn set_preferences(&self, _preferences: &str) -> i32 {
        self.requests.fetch_add(1, SeqCst)
    }

    pub fn set_user_settings(&self, _name: &str) -> i32 {
        self.requests.fetch_add(1, SeqCst)
    }

    pub fn add_handler(&self, handler: u32) {
        self.handlers.lock().unwrap().push(handler);
    }

    pub fn remove_handler(&self, handler: u32) {
        self.handlers.lock().unwrap().retain(|known| *known != handler);
    }
}
