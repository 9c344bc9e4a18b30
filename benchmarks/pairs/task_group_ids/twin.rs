// karyon_core 1.0.4, src/async_util/task_group.rs: each task has a number of its own from a counter; it is put into the group under the lock that is held
// while it is started, and takes itself (nobody else) out when it ends.
use std::collections::HashMap;
use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Weak};
use tokio::task::JoinHandle;

struct Inner {
    tasks: Mutex<HashMap<usize, JoinHandle<()>>>,
    next: AtomicUsize,
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
        TaskGroup { inner: Arc::new(Inner { tasks: Mutex::new(HashMap::new()), next: AtomicUsize::new(0) }) }
    }

    pub fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) -> usize {
        let id = self.inner.next.fetch_add(1, Ordering::Relaxed);
        let group = Arc::downgrade(&self.inner);
        let mut tasks = self.inner.tasks.lock().unwrap();
        let task = tokio::spawn(async move {
            future.await;
            take_out(&group, id);
        });
        tasks.insert(id, task);
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
