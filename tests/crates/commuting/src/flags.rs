//! A truth value under a lock is followed: who finds it raised goes another way.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
struct State {
    closed: bool,
    served: u32,
}

/// Only the first one who closes goes on to note the time.
#[derive(Default)]
pub struct Office {
    state: Mutex<State>,
    closed_at: Mutex<u32>,
}

impl Office {
    pub fn close(&self, now: u32) {
        {
            let mut state = self.state.lock().unwrap();
            if state.closed {
                return;
            }
            state.closed = true;
        }
        *self.closed_at.lock().unwrap() = now;
    }

    pub fn serve(&self) -> u32 {
        let mut state = self.state.lock().unwrap();
        state.served += 1;
        state.served
    }
}

/// Two may find that nobody has closed yet.
#[derive(Default)]
pub struct Booth {
    state: Mutex<State>,
    bills: Mutex<u32>,
}

impl Booth {
    pub fn close(&self) {
        if self.state.lock().unwrap().closed { //~
            return;
        }
        *self.bills.lock().unwrap() += 1;
        self.state.lock().unwrap().closed = true; //~
    }

    pub fn bills(&self) -> u32 {
        *self.bills.lock().unwrap()
    }
}

static OPENED: AtomicBool = AtomicBool::new(false);
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Two who come at once are both told that they were first.
pub fn open() -> bool {
    if OPENED.load(Ordering::SeqCst) { //~
        return false;
    }
    OPENED.store(true, Ordering::SeqCst); //~
    true
}

/// Nobody is told: it is closed whoever does it, and how often.
pub fn close() {
    if !CLOSED.load(Ordering::SeqCst) {
        CLOSED.store(true, Ordering::SeqCst);
    }
}

pub fn is_closed() -> bool {
    CLOSED.load(Ordering::SeqCst)
}

struct Call {
    up: bool,
    reason: u32,
}

impl Default for Call {
    fn default() -> Call {
        Call { up: true, reason: 0 }
    }
}

/// A line that has been hung up is down, whoever did it last.
#[derive(Default)]
pub struct Line(Mutex<Call>);

impl Line {
    pub fn hang_up(&self, reason: u32) {
        self.0.lock().unwrap().up = false;
        self.0.lock().unwrap().reason = reason;
    }

    pub fn is_up(&self) -> bool {
        self.0.lock().unwrap().up
    }

    pub fn reason(&self) -> u32 {
        self.0.lock().unwrap().reason
    }
}

/// One that is dialled meanwhile may be up and have a reason for being down.
#[derive(Default)]
pub struct Trunk(Mutex<Call>);

impl Trunk {
    pub fn hang_up(&self, reason: u32) {
        self.0.lock().unwrap().up = false; //~
        self.0.lock().unwrap().reason = reason; //~
    }

    pub fn dial(&self) {
        let mut call = self.0.lock().unwrap();
        call.up = true;
        call.reason = 0;
    }

    pub fn state(&self) -> (bool, u32) {
        let call = self.0.lock().unwrap();
        (call.up, call.reason)
    }
}
