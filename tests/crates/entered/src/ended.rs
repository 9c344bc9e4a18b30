//! What an event has put under a key, a task that it has started takes out when the other side is gone. By then it may be another's.

use std::collections::HashMap;
use std::io::Read;
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::thread;

/// Whoever comes again takes the place of what was there; the end of the old one takes out the new one.
#[derive(Clone, Default)]
pub struct Lines {
    lines: Arc<Mutex<HashMap<String, u64>>>,
}

impl Lines {
    pub fn open(&self, name: String, number: u64, mut line: TcpStream) {
        self.lines.lock().unwrap().insert(name.clone(), number); //~
        let lines = self.lines.clone();
        thread::spawn(move || {
            let mut buffer = [0; 64];
            while line.read(&mut buffer).is_ok_and(|read| read > 0) {}
            lines.lock().unwrap().remove(&name); //~
        });
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        self.lines.lock().unwrap().get(name).copied()
    }
}

/// It takes out its own.
#[derive(Clone, Default)]
pub struct Calls {
    calls: Arc<Mutex<HashMap<String, u64>>>,
}

impl Calls {
    pub fn open(&self, name: String, number: u64, mut line: TcpStream) {
        self.calls.lock().unwrap().insert(name.clone(), number);
        let calls = self.calls.clone();
        thread::spawn(move || {
            let mut buffer = [0; 64];
            while line.read(&mut buffer).is_ok_and(|read| read > 0) {}
            let mut calls = calls.lock().unwrap();
            if calls.get(&name) == Some(&number) {
                calls.remove(&name);
            }
        });
    }

    pub fn number(&self, name: &str) -> Option<u64> {
        self.calls.lock().unwrap().get(name).copied()
    }
}
