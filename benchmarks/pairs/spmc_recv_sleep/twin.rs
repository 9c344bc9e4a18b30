// Repaired as in seanmonstar/spmc 0.2.2 (commit 04fe460): the sleepers are counted under the lock, and each looks at
// the queue again before it waits.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvError, SendError, TryRecvError};
use std::sync::{Arc, Condvar, Mutex};

use crossbeam_queue::SegQueue;

pub fn channel<T: Send>() -> (Sender<T>, Receiver<T>) {
    let inner = Arc::new(Inner::new());
    (Sender { inner: inner.clone() }, Receiver { inner: Arc::new(RecvInner { inner }) })
}

struct Inner<T: Send> {
    queue: SegQueue<T>,
    is_disconnected: AtomicBool,
    // Only for those that wait; the queue itself needs no lock.
    sleeping_guard: Mutex<()>,
    sleeping_condvar: Condvar,
    num_sleeping: AtomicUsize,
}

impl<T: Send> Inner<T> {
    fn new() -> Self {
        Self {
            queue: SegQueue::new(),
            is_disconnected: AtomicBool::new(false),
            sleeping_guard: Mutex::new(()),
            sleeping_condvar: Condvar::new(),
            num_sleeping: AtomicUsize::new(0),
        }
    }
}

pub struct Sender<T: Send> {
    inner: Arc<Inner<T>>,
}

impl<T: Send> Sender<T> {
    pub fn send(&mut self, t: T) -> Result<(), SendError<T>> {
        if self.inner.is_disconnected.load(Ordering::SeqCst) {
            return Err(SendError(t));
        }
        self.inner.queue.push(t);
        if self.inner.num_sleeping.load(Ordering::SeqCst) > 0 {
            let _guard = self.inner.sleeping_guard.lock().unwrap();
            self.inner.sleeping_condvar.notify_one();
        }
        Ok(())
    }
}

impl<T: Send> Drop for Sender<T> {
    fn drop(&mut self) {
        self.inner.is_disconnected.store(true, Ordering::SeqCst);
        if self.inner.num_sleeping.load(Ordering::SeqCst) > 0 {
            let _guard = self.inner.sleeping_guard.lock().unwrap();
            self.inner.sleeping_condvar.notify_all();
        }
    }
}

struct RecvInner<T: Send> {
    inner: Arc<Inner<T>>,
}

impl<T: Send> Deref for RecvInner<T> {
    type Target = Arc<Inner<T>>;

    fn deref(&self) -> &Arc<Inner<T>> {
        &self.inner
    }
}

impl<T: Send> Drop for RecvInner<T> {
    fn drop(&mut self) {
        self.inner.is_disconnected.store(true, Ordering::SeqCst);
    }
}

pub struct Receiver<T: Send> {
    inner: Arc<RecvInner<T>>,
}

impl<T: Send> Clone for Receiver<T> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<T: Send> Receiver<T> {
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        if let Some(t) = self.inner.queue.pop() {
            return Ok(t);
        }
        if self.inner.is_disconnected.load(Ordering::SeqCst) {
            // The last message may have come between the two looks.
            return self.inner.queue.pop().ok_or(TryRecvError::Disconnected);
        }
        Err(TryRecvError::Empty)
    }

    pub fn recv(&self) -> Result<T, RecvError> {
        match self.try_recv() {
            Ok(t) => return Ok(t),
            Err(TryRecvError::Disconnected) => return Err(RecvError),
            Err(TryRecvError::Empty) => {}
        }

        let mut guard = self.inner.sleeping_guard.lock().unwrap();
        self.inner.num_sleeping.fetch_add(1, Ordering::SeqCst);
        let ret = loop {
            match self.try_recv() {
                Ok(t) => break Ok(t),
                Err(TryRecvError::Disconnected) => break Err(RecvError),
                Err(TryRecvError::Empty) => {}
            }
            guard = self.inner.sleeping_condvar.wait(guard).unwrap();
        };
        self.inner.num_sleeping.fetch_sub(1, Ordering::SeqCst);
        ret
    }
}
