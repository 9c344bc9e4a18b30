// Every `abort_all` begins a new generation (under the lock that guards the table); a future that ends gives its number back only if it still belongs to the current generation, so free numbers always name places of this table.
use std::future::Future;
use std::sync::{Arc, Mutex, Weak};
use tokio::sync::oneshot;

/// Generation of the table and place in it.
#[derive(Clone, Copy)]
struct FutureId {
    generation: u64,
    index: usize,
}

#[derive(Default)]
struct QueueInner {
    generation: u64,
    abort_handlers: Vec<oneshot::Sender<()>>,
    finished_futures: Vec<usize>,
}

impl QueueInner {
    fn insert_handle(&mut self, handle: oneshot::Sender<()>) -> FutureId {
        let index = match self.finished_futures.pop() {
            Some(finished) => {
                self.abort_handlers[finished] = handle;
                finished
            }
            None => {
                self.abort_handlers.push(handle);
                self.abort_handlers.len() - 1
            }
        };
        FutureId { generation: self.generation, index }
    }

    fn on_future_finished(&mut self, id: FutureId) {
        if id.generation == self.generation {
            self.finished_futures.push(id.index);
        }
    }

    fn abort_all(&mut self) {
        self.generation += 1;
        // dropping the senders wakes the futures
        self.abort_handlers.clear();
        self.finished_futures.clear();
    }
}

/// Futures spawned here end with the queue, or when `abort_all` is called (a coin is disabled).
#[derive(Default)]
pub struct AbortableQueue {
    inner: Arc<Mutex<QueueInner>>,
}

impl AbortableQueue {
    pub fn spawner(&self) -> WeakSpawner {
        WeakSpawner { inner: Arc::downgrade(&self.inner) }
    }

    pub fn abort_all(&self) {
        self.inner.lock().unwrap().abort_all();
    }

    pub fn running(&self) -> usize {
        let inner = self.inner.lock().unwrap();
        inner.abort_handlers.len() - inner.finished_futures.len()
    }
}

impl Drop for AbortableQueue {
    fn drop(&mut self) {
        self.abort_all();
    }
}

#[derive(Clone)]
pub struct WeakSpawner {
    inner: Weak<Mutex<QueueInner>>,
}

impl WeakSpawner {
    /// Does nothing if the queue is gone.
    pub fn spawn<F>(&self, name: &'static str, future: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let Some(inner) = self.inner.upgrade() else {
            log::warn!("{name} not spawned: the queue is gone");
            return;
        };
        let (abort_tx, abort_rx) = oneshot::channel();
        let id = inner.lock().unwrap().insert_handle(abort_tx);
        let weak = self.inner.clone();
        tokio::spawn(async move {
            tokio::select! {
                _ = future => log::debug!("{name} finished"),
                _ = abort_rx => log::debug!("{name} aborted"),
            }
            if let Some(inner) = weak.upgrade() {
                inner.lock().unwrap().on_future_finished(id);
            }
        });
    }
}
