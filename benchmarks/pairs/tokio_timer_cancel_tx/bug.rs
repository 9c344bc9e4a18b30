// Source: tokio-rs/tokio PR #8252, commit 91d3b4c (alt timer: cancellation and insertion race): the wheel looks whether the timer has been
// cancelled, registers the way back for a cancellation (which a timer that is cancelled by then refuses, unnoticed), and inserts it. A
// timer that is cancelled in between stays in the wheel until its deadline, and the worker wakes for it.
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crossbeam_channel::{unbounded, Receiver, Sender};
use crossbeam_queue::SegQueue;
use parking_lot::Mutex;

#[derive(Default)]
struct EntryState {
    cancelled: bool,
    woken_up: bool,
    waker: Option<Waker>,
    cancel_tx: Option<Sender<Handle>>,
}

struct Entry {
    deadline: u64,
    state: Mutex<EntryState>,
}

#[derive(Clone)]
struct Handle {
    entry: Arc<Entry>,
}

impl Handle {
    fn is_cancelled(&self) -> bool {
        self.entry.state.lock().cancelled
    }

    fn wake(&self) {
        let mut state = self.entry.state.lock();
        if state.cancelled || state.woken_up {
            return;
        }
        state.woken_up = true;
        state.cancel_tx = None;
        if let Some(waker) = state.waker.take() {
            drop(state);
            waker.wake();
        }
    }

    fn cancel(&self) {
        let mut state = self.entry.state.lock();
        if state.cancelled || state.woken_up {
            return;
        }
        state.cancelled = true; //~
        state.waker = None;
        if let Some(cancel_tx) = state.cancel_tx.take() {
            drop(state);
            let _ = cancel_tx.send(self.clone());
        }
    }

    fn register_cancel_tx(&self, cancel_tx: Sender<Handle>) {
        let mut state = self.entry.state.lock();
        if !state.cancelled && !state.woken_up {
            state.cancel_tx = Some(cancel_tx); //~
        }
    }
}

#[derive(Default)]
struct Wheel {
    slots: BTreeMap<u64, Vec<Handle>>,
}

impl Wheel {
    fn insert(&mut self, hdl: Handle, cancel_tx: Sender<Handle>) {
        if hdl.is_cancelled() { //~
            return;
        }
        hdl.register_cancel_tx(cancel_tx); //~
        self.slots.entry(hdl.entry.deadline).or_default().push(hdl); //~
    }

    fn remove(&mut self, hdl: &Handle) {
        self.slots.retain(|_, slot| {
            slot.retain(|other| !Arc::ptr_eq(&other.entry, &hdl.entry));
            !slot.is_empty()
        });
    }

    fn take_expired(&mut self, now: u64) -> Vec<Handle> {
        let later = self.slots.split_off(&now.saturating_add(1));
        std::mem::replace(&mut self.slots, later).into_values().flatten().collect()
    }

    fn next_expiration_time(&self) -> Option<u64> {
        self.slots.keys().next().copied()
    }
}

pub struct Driver {
    registrations: SegQueue<Handle>,
    wheel: Mutex<Wheel>,
    cancel_tx: Sender<Handle>,
    cancel_rx: Receiver<Handle>,
}

impl Driver {
    pub fn new() -> Arc<Self> {
        let (cancel_tx, cancel_rx) = unbounded();
        Arc::new(Driver { registrations: SegQueue::new(), wheel: Mutex::default(), cancel_tx, cancel_rx })
    }

    pub fn sleep_until(&self, deadline: u64) -> Sleep {
        let hdl = Handle { entry: Arc::new(Entry { deadline, state: Mutex::default() }) };
        self.registrations.push(hdl.clone());
        Sleep { hdl }
    }

    /// A worker is about to park: what was registered goes into the wheel, what is due is woken. Tells when to wake up.
    pub fn process_at(&self, now: u64) -> Option<u64> {
        let mut wheel = self.wheel.lock();
        while let Some(hdl) = self.registrations.pop() {
            wheel.insert(hdl, self.cancel_tx.clone());
        }
        for hdl in self.cancel_rx.try_iter() {
            wheel.remove(&hdl);
        }
        let expired = wheel.take_expired(now);
        let next = wheel.next_expiration_time();
        drop(wheel);
        expired.iter().for_each(Handle::wake);
        next
    }
}

pub struct Sleep {
    hdl: Handle,
}

impl Future for Sleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.hdl.entry.state.lock();
        if state.woken_up {
            return Poll::Ready(());
        }
        state.waker = Some(cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.hdl.cancel();
    }
}
