//! Status and flag are looked at and changed under one lock: who connects finds a task that will see it, or none.
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

#[derive(Clone, Copy, Default, PartialEq)]
pub enum Status {
    #[default]
    New,
    Pending,
    Terminated,
}

#[derive(Default)]
struct State {
    status: Status,
    running: bool,
}

#[derive(Clone, Default)]
pub struct Relay {
    state: Arc<Mutex<State>>,
    terminate: Arc<Notify>,
}

impl Relay {
    pub fn connect(&self) {
        let mut state = self.state.lock().unwrap();
        state.status = Status::Pending;
        if state.running {
            return;
        }
        state.running = true;
        tokio::spawn(self.clone().connection());
    }
    pub fn disconnect(&self) {
        self.state.lock().unwrap().status = Status::Terminated;
        self.terminate.notify_one();
    }
    pub fn status(&self) -> Status {
        self.state.lock().unwrap().status
    }
    fn ended(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        if state.status == Status::Terminated {
            state.running = false;
        }
        !state.running
    }
    async fn connection(self) {
        while !self.ended() {
            self.terminate.notified().await;
        }
    }
}
