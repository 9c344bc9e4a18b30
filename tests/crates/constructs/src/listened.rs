//! event_listener: nothing is kept for whoever listens later.

use std::sync::Mutex;

use event_listener::{Event, Listener};

/// Who listens after the look may have missed it.
#[derive(Default)]
pub struct Late {
    open: Mutex<bool>,
    opened: Event,
}

impl Late {
    pub fn open(&self) {
        *self.open.lock().unwrap() = true; //~
        self.opened.notify(usize::MAX); //~
    }

    pub async fn pass(&self) {
        if !*self.open.lock().unwrap() { //~
            self.opened.listen().await; //~
        }
    }
}

/// Who listens before the look, or under the lock, does not.
#[derive(Default)]
pub struct InTime {
    open: Mutex<bool>,
    opened: Event,
}

impl InTime {
    pub fn open(&self) {
        *self.open.lock().unwrap() = true;
        self.opened.notify(usize::MAX);
    }

    pub async fn pass(&self) {
        let listener = self.opened.listen();
        if !*self.open.lock().unwrap() {
            listener.await;
        }
    }

    pub fn pass_locked(&self) {
        let open = self.open.lock().unwrap();
        if *open {
            return;
        }
        let listener = self.opened.listen();
        drop(open);
        listener.wait();
    }
}
