//! What changes nothing where it is so already may come late; a claim may not.
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};

#[derive(Default)]
pub struct Gauge {
    stopped: AtomicBool,
    flags: AtomicU32,
    highest: AtomicU64,
    claimed: Mutex<bool>,
}

impl Gauge {
    pub fn stop(&self) {
        if !self.stopped.load(SeqCst) {
            self.stopped.store(true, SeqCst);
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(SeqCst)
    }

    pub fn mark(&self) {
        if self.flags.load(SeqCst) & 1 == 0 {
            self.flags.fetch_or(1, SeqCst);
        }
    }

    pub fn mark_other(&self) {
        self.flags.fetch_or(2, SeqCst);
    }

    pub fn rise(&self, to: u64) {
        if to > self.highest.load(SeqCst) {
            self.highest.fetch_max(to, SeqCst);
        }
    }

    /// Both of two callers are told that it is theirs.
    pub fn claim(&self) -> bool {
        if *self.claimed.lock().unwrap() { //~
            return false;
        }
        *self.claimed.lock().unwrap() = true; //~
        true
    }
}

/// A reserve of connections.
#[derive(Default)]
pub struct Reserve {
    idle: Mutex<Vec<u32>>,
    last: Mutex<Option<u32>>,
}

impl Reserve {
    /// Who finds none makes one, which is another one's as soon as it is put in.
    pub fn renew(&self, number: u32) {
        let found = self.idle.lock().unwrap().pop();
        let renewed = found.unwrap_or(number);
        self.idle.lock().unwrap().push(renewed);
    }

    /// Two that find none each note their own.
    pub fn note(&self, number: u32) -> u32 {
        if let Some(last) = *self.last.lock().unwrap() { //~
            return last;
        }
        *self.last.lock().unwrap() = Some(number); //~
        number
    }
}

/// What it does besides is done twice.
#[derive(Default)]
pub struct Registered {
    done: std::sync::atomic::AtomicBool,
    events: std::sync::Mutex<Vec<u32>>,
}

impl Registered {
    pub fn register(&self, token: u32) {
        if self.done.load(std::sync::atomic::Ordering::SeqCst) { //~
            return;
        }
        self.events.lock().unwrap().push(token);
        self.done.store(true, std::sync::atomic::Ordering::SeqCst); //~
    }
}
