// komodo-defi-framework (wallet daemon), PR #1528: `abort_all` empties the table of abort handles while the aborted futures are still ending; each of them then gives its old number back as free, and the next `spawn` writes to a place that is not there (panic) or over another future's handle (which ends it).
use std::future::Future;
use std::sync::{Arc, Mutex, Weak};
use tokio::sync::oneshot;

type FutureId = usize;

#[derive(Default)]
struct QueueInner {
    abort_handlers: Vec<oneshot::Sender<()>>,
    finished_futures: Vec<FutureId>,
}

impl QueueInner {
    fn insert_handle(&mut self, handle: oneshot::Sender<()>) -> FutureId {
        match self.finished_futures.pop() {
            Some(finished_id) => {
                self.abort_handlers[finished_id] = handle;
                finished_id
            }
            None => {
                self.abort_handlers.push(handle);
                self.abort_handlers.len() - 1
            }
        }
    }

    fn on_future_finished(&mut self, id: FutureId) {
        self.finished_futures.push(id); //~
    }

    fn abort_all(&mut self) {
        // dropping the senders wakes the futures
        self.abort_handlers.clear(); //~
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
