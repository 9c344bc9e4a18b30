//! A task's waker, seen from outside: whether anybody still holds it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

/// Passes wakes on.
pub(crate) struct Passing {
    inner: Mutex<Waker>,
    woken: AtomicBool,
}

impl Passing {
    pub fn new() -> Arc<Passing> {
        Arc::new(Passing { inner: Mutex::new(Waker::noop().clone()), woken: AtomicBool::new(false) })
    }

    /// To this waker, from now on.
    pub fn to(&self, waker: &Waker) {
        self.woken.store(false, Ordering::SeqCst);
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if !inner.will_wake(waker) {
            *inner = waker.clone();
        }
    }

    /// Whether nobody can wake the task any more, and nobody has.
    pub fn is_forgotten(self: &Arc<Self>) -> bool {
        // Whoever wakes does so before letting go.
        Arc::strong_count(self) == 1 && !self.woken.load(Ordering::SeqCst)
    }
}

impl Wake for Passing {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.woken.store(true, Ordering::SeqCst);
        let inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner).clone();
        inner.wake();
    }
}
