// Source: slide-rs/pulse PR #14, commit 67f5c82, repaired as there: the lock is taken before the count is looked at; the last one to come
// counts down before it takes the lock, so it finds the trigger, or `signal` finds that all have come.
use std::fmt;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitError {
    /// The pulse was dropped without having been pulsed.
    Dropped,
}

impl fmt::Display for WaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the signal's pulse was dropped")
    }
}

type Waiting = Box<dyn FnOnce() + Send>;

enum State {
    Pending(Vec<Waiting>),
    Pulsed,
    Dropped,
}

struct Inner {
    state: Mutex<State>,
    changed: Condvar,
}

impl Inner {
    fn set(&self, new: State) {
        let mut state = self.state.lock().unwrap();
        let State::Pending(armed) = &mut *state else { return };
        let armed = mem::take(armed);
        *state = new;
        drop(state);
        self.changed.notify_all();
        armed.into_iter().for_each(|waiting| waiting());
    }
}

/// A signal represents something that will happen once.
#[derive(Clone)]
pub struct Signal(Arc<Inner>);

/// Lets it happen.
pub struct Pulse(Arc<Inner>);

impl Signal {
    pub fn new() -> (Signal, Pulse) {
        let inner = Arc::new(Inner { state: Mutex::new(State::Pending(Vec::new())), changed: Condvar::new() });
        (Signal(inner.clone()), Pulse(inner))
    }

    pub fn is_pending(&self) -> bool {
        matches!(*self.0.state.lock().unwrap(), State::Pending(_))
    }

    pub fn wait(&self) -> Result<(), WaitError> {
        let state = self.0.state.lock().unwrap();
        let state = self.0.changed.wait_while(state, |state| matches!(state, State::Pending(_))).unwrap();
        match *state {
            State::Dropped => Err(WaitError::Dropped),
            _ => Ok(()),
        }
    }

    /// The closure is run when the signal is not pending any more, at once if it is not.
    fn arm(&self, waiting: Waiting) {
        let mut state = self.0.state.lock().unwrap();
        if let State::Pending(armed) = &mut *state {
            armed.push(waiting);
            return;
        }
        drop(state);
        waiting();
    }
}

impl Pulse {
    pub fn pulse(self) {
        self.0.set(State::Pulsed);
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.0.set(State::Dropped);
    }
}

/// Everything that can be waited for as a signal.
pub trait Signals {
    fn signal(&self) -> Signal;

    fn wait(&self) -> Result<(), WaitError> {
        self.signal().wait()
    }
}

impl Signals for Signal {
    fn signal(&self) -> Signal {
        self.clone()
    }
}

struct BarrierInner {
    count: AtomicUsize,
    trigger: Mutex<Vec<Pulse>>,
}

impl BarrierInner {
    fn wake(&self) {
        let count = self.count.fetch_sub(1, Ordering::SeqCst);
        if count == 1 {
            let triggers = mem::take(&mut *self.trigger.lock().unwrap());
            triggers.into_iter().for_each(Pulse::pulse);
        }
    }
}

/// A barrier is signalled when all of its signals have been.
pub struct Barrier {
    inner: Arc<BarrierInner>,
}

impl Barrier {
    pub fn new(signals: &[&dyn Signals]) -> Barrier {
        let inner = Arc::new(BarrierInner { count: AtomicUsize::new(signals.len()), trigger: Mutex::new(Vec::new()) });
        for signal in signals {
            let inner = inner.clone();
            signal.signal().arm(Box::new(move || inner.wake()));
        }
        Barrier { inner }
    }

    /// How many are awaited still.
    pub fn count(&self) -> usize {
        self.inner.count.load(Ordering::SeqCst)
    }
}

impl Signals for Barrier {
    fn signal(&self) -> Signal {
        let mut guard = self.inner.trigger.lock().unwrap();
        let (signal, pulse) = Signal::new();
        if self.inner.count.load(Ordering::SeqCst) == 0 {
            pulse.pulse();
        } else {
            guard.push(pulse);
        }
        signal
    }
}
