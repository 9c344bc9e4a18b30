//! Numbers that have names: constants, and the variants of an enum that an atomic keeps as a number.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};

#[repr(u8)]
#[derive(Clone, Copy)]
pub enum State {
    Latent = 1,
    Started,
    Closed,
}

pub struct Latch {
    state: AtomicU8,
    path: Mutex<Option<u32>>,
}

impl Latch {
    pub fn new(path: u32) -> Self {
        Latch { state: AtomicU8::new(State::Started as u8), path: Mutex::new(Some(path)) }
    }

    /// Only one gets through, ever.
    pub fn stop(&self) -> Option<u32> {
        if self.state.compare_exchange(State::Started as u8, State::Closed as u8, SeqCst, SeqCst).is_err() {
            return None;
        }
        let path = *self.path.lock().unwrap();
        if path.is_some() {
            *self.path.lock().unwrap() = None;
        }
        path
    }
}

pub struct Door {
    state: AtomicU8,
    guests: Mutex<u32>,
}

impl Door {
    pub fn new() -> Self {
        Door { state: AtomicU8::new(State::Started as u8), guests: Mutex::new(0) }
    }

    /// Whoever comes after `reopen` gets through while another one is still inside.
    pub fn enter(&self) {
        if self.state.compare_exchange(State::Started as u8, State::Closed as u8, SeqCst, SeqCst).is_ok() {
            let guests = *self.guests.lock().unwrap(); //~
            *self.guests.lock().unwrap() = guests + 1; //~
        }
    }

    pub fn reopen(&self) {
        self.state.store(State::Started as u8, SeqCst);
    }

    pub fn hide(&self) {
        self.state.store(State::Latent as u8, SeqCst);
    }
}

const IDLE: u8 = 0;
const BUSY: u8 = 1;

/// The same number by another name.
const AWAY: u8 = 1;

pub struct Turn {
    phase: AtomicU8,
    done: Mutex<u32>,
    skipped: Mutex<u32>,
}

impl Turn {
    pub fn new() -> Self {
        Turn { phase: AtomicU8::new(IDLE), done: Mutex::new(0), skipped: Mutex::new(0) }
    }

    fn step(&self, from: u8, to: u8) -> bool {
        self.phase.compare_exchange(from, to, SeqCst, SeqCst).is_ok()
    }

    pub fn work(&self) {
        if self.step(IDLE, BUSY) {
            let done = *self.done.lock().unwrap();
            *self.done.lock().unwrap() = done + 1;
        }
    }

    /// It leaves the phase as it is, and the next one in.
    pub fn skip(&self) {
        if self.step(AWAY, BUSY) {
            let skipped = *self.skipped.lock().unwrap(); //~
            *self.skipped.lock().unwrap() = skipped + 1; //~
        }
    }
}

#[derive(Clone, Copy)]
pub enum Phase {
    Idle,
    Busy,
    Over,
}

pub struct Relay {
    phase: AtomicU8,
    laps: Mutex<u32>,
    extra: Mutex<u32>,
}

impl Relay {
    pub fn new() -> Self {
        Relay { phase: AtomicU8::new(Phase::Idle as u8), laps: Mutex::new(0), extra: Mutex::new(0) }
    }

    fn advance(&self, from: Phase, to: Phase) -> bool {
        self.phase.compare_exchange(from as u8, to as u8, SeqCst, SeqCst).is_ok()
    }

    pub fn run(&self) {
        if self.advance(Phase::Idle, Phase::Busy) {
            let laps = *self.laps.lock().unwrap();
            *self.laps.lock().unwrap() = laps + 1;
        }
    }

    pub fn finish(&self) {
        self.phase.store(Phase::Over as u8, SeqCst);
    }

    pub fn run_on(&self) {
        if self.phase.load(SeqCst) == Phase::Over as u8 {
            let extra = *self.extra.lock().unwrap(); //~
            *self.extra.lock().unwrap() = extra + 1; //~
        }
    }
}
