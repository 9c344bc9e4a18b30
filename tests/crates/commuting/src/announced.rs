//! Flags that say that something else is there by now.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

/// Says that it is closed before it says why.
#[derive(Default)]
pub struct Mailbox {
    closed: AtomicBool,
    reason: Mutex<Option<String>>,
}

impl Mailbox {
    pub fn close(&self, reason: &str) {
        self.closed.store(true, SeqCst); //~
        *self.reason.lock().unwrap() = Some(reason.to_owned()); //~
    }

    pub fn receive(&self) -> Result<(), String> {
        if self.closed.load(SeqCst) { //~
            return Err(self.reason.lock().unwrap().clone().expect("closed for a reason")); //~
        }
        Ok(())
    }
}

/// Says why, and then that it is closed: whoever closes it again changes nothing for who has seen that.
#[derive(Default)]
pub struct Letterbox {
    closed: AtomicBool,
    reason: Mutex<Option<String>>,
}

impl Letterbox {
    pub fn close(&self, reason: &str) {
        *self.reason.lock().unwrap() = Some(reason.to_owned());
        self.closed.store(true, SeqCst);
    }

    pub fn receive(&self) -> Result<(), String> {
        if self.closed.load(SeqCst) {
            return Err(self.reason.lock().unwrap().clone().expect("closed for a reason"));
        }
        Ok(())
    }
}

/// An answer is remembered, but that there is one is said first.
#[derive(Default)]
pub struct Feature {
    asked: AtomicBool,
    there: AtomicBool,
}

impl Feature {
    pub fn is_there(&self, name: &str) -> bool {
        if self.asked.load(SeqCst) { //~
            return self.there.load(SeqCst); //~
        }
        let there = std::path::Path::new(name).exists();
        self.asked.store(true, SeqCst); //~
        self.there.store(there, SeqCst); //~
        there
    }
}
