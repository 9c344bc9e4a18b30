// Repaired: looked at under the lock it is replaced under.
use std::sync::{Arc, RwLock};

pub struct Routes {
    epoch: u64,
    table: Vec<String>,
}

pub struct Router {
    current: RwLock<Arc<Routes>>,
}

impl Router {
    pub fn new() -> Self {
        Router { current: RwLock::new(Arc::new(Routes { epoch: 0, table: vec![] })) }
    }

    pub fn publish(&self, epoch: u64, table: Vec<String>) {
        let mut current = self.current.write().unwrap();
        if current.epoch >= epoch {
            return;
        }
        *current = Arc::new(Routes { epoch, table });
    }

    pub fn find(&self, i: usize) -> Option<String> {
        self.current.read().unwrap().table.get(i).cloned()
    }
}
