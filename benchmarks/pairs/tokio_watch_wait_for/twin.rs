// tokio-rs/tokio, PR #5611: wait_for returns the very guard under which the condition was tested, so nothing can be sent between the test and the return.
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, RwLock, RwLockReadGuard};
use tokio::sync::Notify;

const CLOSED: usize = 1;
const STEP: usize = 2;

#[derive(Debug, PartialEq, Eq)]
pub struct SendError<T>(pub T);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecvError(());

struct Shared<T> {
    value: RwLock<T>,
    /// The version, which is raised under the write lock of `value`, and whether the sender is gone.
    state: AtomicUsize,
    receivers: AtomicUsize,
    notify_rx: Notify,
}

impl<T> Shared<T> {
    fn version(&self) -> usize {
        self.state.load(Ordering::SeqCst) & !CLOSED
    }

    fn is_closed(&self) -> bool {
        self.state.load(Ordering::SeqCst) & CLOSED != 0
    }
}

pub struct Sender<T> {
    shared: Arc<Shared<T>>,
}

pub struct Receiver<T> {
    shared: Arc<Shared<T>>,
    version: usize,
}

/// The value, which does not change as long as this lives.
pub struct Ref<'a, T> {
    inner: RwLockReadGuard<'a, T>,
}

impl<T> Deref for Ref<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

pub fn channel<T>(init: T) -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Shared {
        value: RwLock::new(init),
        state: AtomicUsize::new(0),
        receivers: AtomicUsize::new(1),
        notify_rx: Notify::new(),
    });
    (Sender { shared: shared.clone() }, Receiver { shared, version: 0 })
}

impl<T> Sender<T> {
    pub fn send(&self, value: T) -> Result<(), SendError<T>> {
        if self.shared.receivers.load(Ordering::SeqCst) == 0 {
            return Err(SendError(value));
        }
        {
            let mut lock = self.shared.value.write().unwrap();
            *lock = value;
            self.shared.state.fetch_add(STEP, Ordering::SeqCst);
        }
        self.shared.notify_rx.notify_waiters();
        Ok(())
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.shared.state.fetch_or(CLOSED, Ordering::SeqCst);
        self.shared.notify_rx.notify_waiters();
    }
}

async fn changed_impl<T>(shared: &Shared<T>, version: &mut usize) -> Result<(), RecvError> {
    loop {
        let notified = shared.notify_rx.notified();
        let closed = shared.is_closed();
        let new_version = shared.version();
        if *version != new_version {
            *version = new_version;
            return Ok(());
        }
        if closed {
            return Err(RecvError(()));
        }
        notified.await;
    }
}

impl<T> Receiver<T> {
    pub fn borrow(&self) -> Ref<'_, T> {
        Ref { inner: self.shared.value.read().unwrap() }
    }

    /// The value, which counts as seen.
    pub fn borrow_and_update(&mut self) -> Ref<'_, T> {
        let inner = self.shared.value.read().unwrap();
        self.version = self.shared.version();
        Ref { inner }
    }

    pub async fn changed(&mut self) -> Result<(), RecvError> {
        changed_impl(&self.shared, &mut self.version).await
    }

    /// Waits for a value that satisfies the condition and returns it.
    pub async fn wait_for(&mut self, mut f: impl FnMut(&T) -> bool) -> Result<Ref<'_, T>, RecvError> {
        loop {
            {
                let inner = self.shared.value.read().unwrap();
                self.version = self.shared.version();
                if f(&inner) {
                    return Ok(Ref { inner });
                }
            }
            changed_impl(&self.shared, &mut self.version).await?;
        }
    }
}

impl<T> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        self.shared.receivers.fetch_add(1, Ordering::SeqCst);
        Receiver { shared: self.shared.clone(), version: self.version }
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.shared.receivers.fetch_sub(1, Ordering::SeqCst);
    }
}
