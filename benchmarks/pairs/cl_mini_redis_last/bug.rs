// mini-redis 0.4.0, 0.4.1 (issue 76; later repaired by a guard that is not cloned), src/db.rs: who is the last handle is asked by
// `Arc::strong_count == 2` (one is the task's) before one's own count is given back: two at once see three, and the task is never told.
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;

#[derive(Default)]
struct State {
    expirations: BTreeSet<u64>,
    shutdown: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    background: Notify,
}

#[derive(Clone)]
pub struct Db {
    shared: Arc<Shared>,
}

impl Db {
    pub fn new() -> Db {
        let shared = Arc::new(Shared::default());
        tokio::spawn(purge(shared.clone()));
        Db { shared }
    }

    pub fn set_expiring(&self, at: u64) {
        self.shared.state.lock().unwrap().expirations.insert(at);
        self.shared.background.notify_one();
    }
}

impl Drop for Db {
    fn drop(&mut self) {
        if Arc::strong_count(&self.shared) == 2 {
            self.shared.state.lock().unwrap().shutdown = true;
            self.shared.background.notify_one();
        }
    }
}

async fn purge(shared: Arc<Shared>) {
    while !shared.state.lock().unwrap().shutdown {
        shared.state.lock().unwrap().expirations.pop_first();
        shared.background.notified().await;
    }
}
