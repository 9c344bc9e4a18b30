// Source: tokio-rs/tokio PR #3660, commit 6845a93, repaired as there: the count of calls is raised by one atomic addition, which leaves
// the state as it is by then.
use std::collections::VecDeque;
use std::mem;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::Mutex;

use crossbeam_channel::{bounded, Sender};

const NOTIFY_WAITERS_SHIFT: usize = 2;
const STATE_MASK: usize = (1 << NOTIFY_WAITERS_SHIFT) - 1;
const NOTIFY_WAITERS_CALLS_MASK: usize = !STATE_MASK;

/// Initial "idle" state.
const EMPTY: usize = 0;
/// One or more threads are currently waiting to be notified.
const WAITING: usize = 1;
/// Pending notification.
const NOTIFIED: usize = 2;

fn set_state(data: usize, state: usize) -> usize {
    (data & NOTIFY_WAITERS_CALLS_MASK) | (state & STATE_MASK)
}

fn get_state(data: usize) -> usize {
    data & STATE_MASK
}

fn get_num_notify_waiters_calls(data: usize) -> usize {
    (data & NOTIFY_WAITERS_CALLS_MASK) >> NOTIFY_WAITERS_SHIFT
}

fn inc_num_notify_waiters_calls(data: usize) -> usize {
    data.wrapping_add(1 << NOTIFY_WAITERS_SHIFT)
}

fn atomic_inc_num_notify_waiters_calls(data: &AtomicUsize) {
    data.fetch_add(1 << NOTIFY_WAITERS_SHIFT, SeqCst);
}

type WaitList = VecDeque<Sender<()>>;

#[derive(Default)]
pub struct Notify {
    // The state may go into WAITING, and out of it, only under the lock of `waiters`.
    state: AtomicUsize,
    waiters: Mutex<WaitList>,
}

impl Notify {
    pub fn new() -> Notify {
        Notify::default()
    }

    /// Waits for a notification, or takes the permit that is there.
    pub fn wait(&self) {
        let mut curr = self.state.load(SeqCst);
        let calls = get_num_notify_waiters_calls(curr);
        let res = self.state.compare_exchange(set_state(curr, NOTIFIED), set_state(curr, EMPTY), SeqCst, SeqCst);
        if res.is_ok() {
            return;
        }

        let mut waiters = self.waiters.lock().unwrap();
        curr = self.state.load(SeqCst);
        if get_num_notify_waiters_calls(curr) != calls {
            return;
        }
        loop {
            let next = match get_state(curr) {
                EMPTY => set_state(curr, WAITING),
                NOTIFIED => set_state(curr, EMPTY),
                _ => break,
            };
            match self.state.compare_exchange(curr, next, SeqCst, SeqCst) {
                Ok(_) if get_state(next) == EMPTY => return,
                Ok(_) => break,
                Err(actual) => curr = actual,
            }
        }
        let (tx, rx) = bounded(1);
        waiters.push_front(tx);
        drop(waiters);
        let _ = rx.recv();
    }

    /// Notifies one waiter; without one, the next `wait` returns at once.
    pub fn notify_one(&self) {
        let mut curr = self.state.load(SeqCst);
        while let EMPTY | NOTIFIED = get_state(curr) {
            match self.state.compare_exchange(curr, set_state(curr, NOTIFIED), SeqCst, SeqCst) {
                Ok(_) => return,
                Err(actual) => curr = actual,
            }
        }

        let mut waiters = self.waiters.lock().unwrap();
        curr = self.state.load(SeqCst);
        if let Some(waiter) = notify_locked(&mut waiters, &self.state, curr) {
            drop(waiters);
            let _ = waiter.send(());
        }
    }

    /// Notifies all who wait, and nobody else.
    pub fn notify_waiters(&self) {
        let mut waiters = self.waiters.lock().unwrap();
        let curr = self.state.load(SeqCst);
        if let EMPTY | NOTIFIED = get_state(curr) {
            // There are no waiting threads. All we need to do is increment the number of times this method was called.
            atomic_inc_num_notify_waiters_calls(&self.state);
            return;
        }

        let all = mem::take(&mut *waiters);
        self.state.store(inc_num_notify_waiters_calls(set_state(curr, EMPTY)), SeqCst);
        drop(waiters);
        for waiter in all {
            let _ = waiter.send(());
        }
    }
}

fn notify_locked(waiters: &mut WaitList, state: &AtomicUsize, mut curr: usize) -> Option<Sender<()>> {
    while let EMPTY | NOTIFIED = get_state(curr) {
        match state.compare_exchange(curr, set_state(curr, NOTIFIED), SeqCst, SeqCst) {
            Ok(_) => return None,
            Err(actual) => curr = actual,
        }
    }
    let waiter = waiters.pop_back();
    if waiters.is_empty() {
        state.store(set_state(curr, EMPTY), SeqCst);
    }
    waiter
}
