// Repaired as futures does: the open flag and the number of messages are one packed atomic; a send counts itself by a compare-exchange that fails once closed, and the closing receiver drains until the count is zero, waiting for sends that have counted but not pushed yet.
use crossbeam_queue::SegQueue;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::Arc;
use std::thread;

/// The top bit of the state: the channel is open. The rest: the number of messages.
const OPEN_MASK: usize = 1 << (usize::BITS - 1);

struct Inner<T> {
    state: AtomicUsize,
    message_queue: SegQueue<T>,
}

pub struct SendError<T>(pub T);

impl<T> fmt::Debug for SendError<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SendError(disconnected)")
    }
}

pub struct UnboundedSender<T>(Arc<Inner<T>>);

impl<T> Clone for UnboundedSender<T> {
    fn clone(&self) -> Self {
        UnboundedSender(Arc::clone(&self.0))
    }
}

impl<T> UnboundedSender<T> {
    pub fn try_send(&self, message: T) -> Result<(), SendError<T>> {
        let count = |state: usize| (state & OPEN_MASK != 0).then(|| state + 1);
        if self.0.state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count).is_err() {
            return Err(SendError(message));
        }
        self.0.message_queue.push(message);
        Ok(())
    }

    pub fn is_closed(&self) -> bool {
        self.0.state.load(Ordering::SeqCst) & OPEN_MASK == 0
    }
}

pub struct UnboundedReceiver<T>(Arc<Inner<T>>);

impl<T> UnboundedReceiver<T> {
    pub fn try_recv(&mut self) -> Option<T> {
        let message = self.0.message_queue.pop()?;
        self.0.state.fetch_sub(1, Ordering::SeqCst);
        Some(message)
    }

    pub fn backlog(&self) -> usize {
        self.0.state.load(Ordering::SeqCst) & !OPEN_MASK
    }
}

impl<T> Drop for UnboundedReceiver<T> {
    fn drop(&mut self) {
        self.0.state.fetch_and(!OPEN_MASK, Ordering::SeqCst);
        // Drop what is queued: nobody will ever take it.
        while self.0.state.load(Ordering::SeqCst) != 0 {
            if self.try_recv().is_none() {
                // A sender is between counting and pushing.
                thread::yield_now();
            }
        }
    }
}

pub fn unbounded<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let inner = Inner { state: AtomicUsize::new(OPEN_MASK), message_queue: SegQueue::new() };
    let inner = Arc::new(inner);
    (UnboundedSender(inner.clone()), UnboundedReceiver(inner))
}

/// A request with the channel for its answer, as a synchronous front end sends it.
pub struct Request<R>(pub String, pub mpsc::Sender<R>);

/// Asks the receiving thread; None if it is gone.
pub fn call<R>(requests: &UnboundedSender<Request<R>>, text: &str) -> Option<R> {
    let (reply, answer) = mpsc::channel();
    requests.try_send(Request(text.to_string(), reply)).ok()?;
    answer.recv().ok()
}
