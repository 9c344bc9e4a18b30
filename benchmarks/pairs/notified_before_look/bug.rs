// tokio's `notify_waiters` reaches those `Notified` that are there: one that is made after the look at the flag misses what comes in between.
use tokio::sync::{Mutex, Notify};

pub struct Flag {
    set: Mutex<bool>,
    notify: Notify,
}

impl Flag {
    pub fn new() -> Self {
        Flag { set: Mutex::new(false), notify: Notify::new() }
    }

    pub async fn wait(&self) {
        loop {
            if *self.set.lock().await { //~
                return;
            }
            self.notify.notified().await; //~
        }
    }

    pub async fn signal(&self) {
        *self.set.lock().await = true;
        self.notify.notify_waiters();
    }
}
