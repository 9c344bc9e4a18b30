// saorsa-core after 0771d90: a lock of std, and no task.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};


pub struct OperationGuard {
    operations: Arc<Mutex<HashMap<String, u64>>>,
    id: String,
}

impl Drop for OperationGuard {
    fn drop(&mut self) {
        self.operations.lock().unwrap().remove(&self.id);
    }
}

#[derive(Clone, Default)]
pub struct Manager {
    operations: Arc<Mutex<HashMap<String, u64>>>,
}

impl Manager {
    pub async fn begin(&self, id: String) -> OperationGuard {
        self.operations.lock().unwrap().insert(id.clone(), 0);
        OperationGuard { operations: self.operations.clone(), id }
    }
}

pub fn ended_elsewhere(guard: OperationGuard) {
    std::thread::spawn(move || drop(guard));
}
