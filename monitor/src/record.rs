//! The record of what happens to a task: who adds to it, does so alone, and takes a number meanwhile.
//!
//! All numbers come from one counter. What happened before, in the order of the program's threads, has the smaller number, and the numbers of
//! one task rise in the order in which its tables make their steps.

use std::sync::PoisonError;

use crate::sync::{AtomicU64, Mutex, MutexGuard, Ordering};

/// Numbers for all that happens.
pub(crate) struct Numbers(AtomicU64);

impl Numbers {
    pub fn new() -> Self {
        Numbers(AtomicU64::new(0))
    }
}

/// What is known of a task.
pub(crate) struct Record<S>(Mutex<S>);

impl<S> Record<S> {
    pub fn new(state: S) -> Self {
        Record(Mutex::new(state))
    }

    /// Nobody else looks at it, or changes it, before this is given up.
    pub fn open<'r>(&'r self, numbers: &'r Numbers) -> Open<'r, S> {
        Open { state: self.0.lock().unwrap_or_else(PoisonError::into_inner), numbers }
    }
}

/// A record that is looked at.
pub(crate) struct Open<'r, S> {
    state: MutexGuard<'r, S>,
    numbers: &'r Numbers,
}

impl<S> Open<'_, S> {
    /// What is known.
    pub fn state(&mut self) -> &mut S {
        &mut self.state
    }

    /// Something happens: its number.
    pub fn next(&mut self) -> (&mut S, u64) {
        // Whatever happened before took its number from the same counter.
        let number = self.numbers.0.fetch_add(1, Ordering::Relaxed);
        (&mut self.state, number)
    }
}
