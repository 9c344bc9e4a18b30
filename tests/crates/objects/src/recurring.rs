//! What is made again and again, and kept where others find it: two accesses need not be to the same one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Session {
    sent: Mutex<(u32, u32)>,
}

#[derive(Default)]
pub struct Sessions {
    all: Mutex<HashMap<u32, Arc<Session>>>,
    sent: Mutex<(u32, u32)>,
}

impl Sessions {
    /// Each call opens a session of its own: nobody has asked for both numbers of one.
    pub fn open(&self, id: u32) -> u32 {
        let session = Arc::new(Session::default());
        self.all.lock().unwrap().insert(id, session.clone());
        let (first, second) = (session.sent.lock().unwrap().0, session.sent.lock().unwrap().1);
        first + second
    }

    pub fn close_all(&self) {
        for session in self.all.lock().unwrap().values() {
            *session.sent.lock().unwrap() = (0, 0);
        }
    }

    /// There is one of these.
    pub fn sum(&self) -> u32 {
        let (first, second) = (self.sent.lock().unwrap().0, self.sent.lock().unwrap().1); //~
        first + second
    }

    pub fn set(&self, first: u32, second: u32) {
        let mut sent = self.sent.lock().unwrap();
        sent.0 = first; //~
        sent.1 = second; //~
    }
}
