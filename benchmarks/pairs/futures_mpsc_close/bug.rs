// rust-lang/futures-rs, issue #909: try_send sees the channel open and then pushes; a Receiver dropped in between closes and drains the queue first, so the message is accepted but stays in the queue, its reply channel is never dropped, and the caller waits for ever.
use crossbeam_queue::SegQueue;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::sync::Arc;

struct Inner<T> {
    open: AtomicBool,
    num_messages: AtomicUsize,
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
        if !self.0.open.load(Ordering::SeqCst) { //~
            return Err(SendError(message));
        }
        self.0.num_messages.fetch_add(1, Ordering::SeqCst);
        self.0.message_queue.push(message); //~
        Ok(())
    }

    pub fn is_closed(&self) -> bool {
        !self.0.open.load(Ordering::SeqCst)
    }
}

pub struct UnboundedReceiver<T>(Arc<Inner<T>>);

impl<T> UnboundedReceiver<T> {
    pub fn try_recv(&mut self) -> Option<T> {
        let message = self.0.message_queue.pop()?;
        self.0.num_messages.fetch_sub(1, Ordering::SeqCst);
        Some(message)
    }

    pub fn backlog(&self) -> usize {
        self.0.num_messages.load(Ordering::SeqCst)
    }
}

impl<T> Drop for UnboundedReceiver<T> {
    fn drop(&mut self) {
        self.0.open.store(false, Ordering::SeqCst); //~
        // Drop what is queued: nobody will ever take it.
        while self.try_recv().is_some() {}
    }
}

pub fn unbounded<T>() -> (UnboundedSender<T>, UnboundedReceiver<T>) {
    let inner = Inner { open: AtomicBool::new(true), num_messages: AtomicUsize::new(0), message_queue: SegQueue::new() };
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
