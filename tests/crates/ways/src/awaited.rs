//! Who has seen that something is not there yet, has waited for it, and then insists on it.

use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

/// What is waited for is set once, and stays.
pub struct Promise {
    value: Mutex<Option<u32>>,
    ready: Notify,
}

impl Promise {
    pub fn new() -> Arc<Promise> {
        let promise = Arc::new(Promise { value: Mutex::new(None), ready: Notify::new() });
        let keeper = promise.clone();
        tokio::spawn(async move {
            tokio::task::yield_now().await;
            *keeper.value.lock().unwrap() = Some(7);
            keeper.ready.notify_waiters();
        });
        promise
    }

    pub async fn get(&self) -> u32 {
        let ready = self.ready.notified();
        if let Some(value) = *self.value.lock().unwrap() {
            return value;
        }
        ready.await;
        self.value.lock().unwrap().expect("it is set by now")
    }
}

enum State {
    Loading,
    Loaded(u32),
}

/// The same with an enum.
pub struct Table {
    state: Mutex<State>,
    ready: Notify,
}

impl Table {
    pub fn new() -> Arc<Table> {
        let table = Arc::new(Table { state: Mutex::new(State::Loading), ready: Notify::new() });
        let loader = table.clone();
        tokio::spawn(async move {
            tokio::task::yield_now().await;
            *loader.state.lock().unwrap() = State::Loaded(7);
            loader.ready.notify_waiters();
        });
        table
    }

    pub async fn get(&self) -> u32 {
        let ready = self.ready.notified();
        if let State::Loaded(value) = &*self.state.lock().unwrap() {
            return *value;
        }
        ready.await;
        match &*self.state.lock().unwrap() {
            State::Loaded(value) => *value,
            _ => unreachable!("it is loaded by now"),
        }
    }
}

/// What was there may be gone.
#[derive(Default)]
pub struct Seat {
    guest: Mutex<Option<u32>>,
}

impl Seat {
    pub fn sit(&self, guest: u32) {
        *self.guest.lock().unwrap() = Some(guest);
    }

    pub fn leave(&self) {
        *self.guest.lock().unwrap() = None; //~
    }

    pub fn guest(&self) -> u32 {
        if self.guest.lock().unwrap().is_none() { //~
            return 0;
        }
        self.guest.lock().unwrap().expect("somebody sits there") //~
    }
}
