// After karyon_core 1.0.4, src/async_util/task_group.rs (which is right): the number of a task is one more than the highest in the group: two that are
// started at once get the same one, and the first that ends takes the other's handle out.
use std::collections::HashMap;
use std::future::Future;
use std::sync::{Arc, Mutex, Weak};
use tokio::task::JoinHandle;

struct Inner {
    tasks: Mutex<HashMap<usize, JoinHandle<()>>>,
}

impl Inner {
    fn remove(&self, id: usize) -> Option<JoinHandle<()>> {
        self.tasks.lock().unwrap().remove(&id)
    }
}

pub struct TaskGroup {
    inner: Arc<Inner>,
}

fn take_out(group: &Weak<Inner>, id: usize) {
    if let Some(group) = group.upgrade() {
        if let Some(handle) = group.remove(id) {
            drop(handle);
        }
    }
}

impl TaskGroup {
    pub fn new() -> Self {
        TaskGroup { inner: Arc::new(Inner { tasks: Mutex::new(HashMap::new()) }) }
    }

    pub fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> usize {
        let id = self.inner.tasks.lock().unwrap().keys().max().map_or(0, |last| last + 1); //~
        let group = Arc::downgrade(&self.inner);
        let mut tasks = self.inner.tasks.lock().unwrap();
        let task = tokio::spawn(async move {
            future.await;
            take_out(&group, id);
        });
        tasks.insert(id, task); //~
        id
    }

    pub fn len(&self) -> usize {
        self.inner.tasks.lock().unwrap().len()
    }

    pub fn cancel(&self) {
        let handles: Vec<_> = self.inner.tasks.lock().unwrap().drain().map(|(_, h)| h).collect();
        for handle in handles {
            handle.abort();
        }
    }
}
