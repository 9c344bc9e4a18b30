//! A task is started, and only then is said how things are, which the task may have said already.

use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
use std::thread;

#[derive(Clone, Copy, Default, PartialEq)]
pub enum State {
    #[default]
    Idle,
    Open,
    Lost,
}

/// The connection may be lost before it is said to be open, and then it is said to be open for ever.
#[derive(Default)]
pub struct OpenedLate {
    state: Arc<Mutex<State>>,
}

impl OpenedLate {
    pub fn open(&self, lines: Receiver<String>) {
        let state = self.state.clone();
        thread::spawn(move || { //~
            while let Ok(line) = lines.recv() {
                if line.is_empty() {
                    *state.lock().unwrap() = State::Lost; //~
                }
            }
        });
        *self.state.lock().unwrap() = State::Open; //~
    }

    pub fn is_open(&self) -> bool {
        *self.state.lock().unwrap() == State::Open
    }
}

/// Said first.
#[derive(Default)]
pub struct OpenedFirst {
    state: Arc<Mutex<State>>,
}

impl OpenedFirst {
    pub fn open(&self, lines: Receiver<String>) {
        *self.state.lock().unwrap() = State::Open;
        let state = self.state.clone();
        thread::spawn(move || {
            while let Ok(line) = lines.recv() {
                if line.is_empty() {
                    *state.lock().unwrap() = State::Lost;
                }
            }
        });
    }

    pub fn is_open(&self) -> bool {
        *self.state.lock().unwrap() == State::Open
    }
}
