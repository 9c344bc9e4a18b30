//! A task's waker, seen from outside: whether anybody still holds it.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

/// Passes a wake on; the executor need not be told twice before it polls the task again.
pub(crate) struct Passing(Mutex<Option<Waker>>);

impl Passing {
    pub fn new() -> Arc<Passing> {
        Arc::new(Passing(Mutex::new(None)))
    }

    /// To this waker, at the next wake.
    pub fn to(&self, waker: &Waker) {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.as_ref().is_none_or(|inner| !inner.will_wake(waker)) {
            let old = inner.replace(waker.clone());
            drop(inner);
            // Its end may be anything.
            drop(old);
        }
    }

    /// Whether nobody can wake the task any more, and nobody has.
    pub fn is_forgotten(self: &Arc<Self>) -> bool {
        // Whoever wakes does so before letting go.
        Arc::strong_count(self) == 1 && self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

impl Wake for Passing {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(inner) = inner {
            inner.wake();
        }
    }
}
