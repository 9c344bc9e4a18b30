// tokio's `notified()` hears `notify_waiters` from when it is made, polled or not; it is made before the flag is looked at.
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
            let notified = self.notify.notified();
            if *self.set.lock().await {
                return;
            }
            notified.await;
        }
    }

    pub async fn signal(&self) {
        *self.set.lock().await = true;
        self.notify.notify_waiters();
    }
}
