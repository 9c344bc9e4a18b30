// mini-redis after issue 76: a guard that is not cloned tells the task.
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
    fn new() -> Db {
        let shared = Arc::new(Shared::default());
        tokio::spawn(purge(shared.clone()));
        Db { shared }
    }

    pub fn set_expiring(&self, at: u64) {
        self.shared.state.lock().unwrap().expirations.insert(at);
        self.shared.background.notify_one();
    }
}

/// Not cloned: made once, dropped once.
pub struct DbDropGuard {
    db: Db,
}

impl DbDropGuard {
    pub fn new() -> DbDropGuard {
        DbDropGuard { db: Db::new() }
    }
    pub fn db(&self) -> Db {
        self.db.clone()
    }
}

impl Drop for DbDropGuard {
    fn drop(&mut self) {
        self.db.shared.state.lock().unwrap().shutdown = true;
        self.db.shared.background.notify_one();
    }
}

async fn purge(shared: Arc<Shared>) {
    while !shared.state.lock().unwrap().shutdown {
        shared.state.lock().unwrap().expirations.pop_first();
        shared.background.notified().await;
    }
}
