// Source: smol-rs/async-channel pull request #60 (Patch Weak Increment Race Condition)
use std::collections::VecDeque;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

#[derive(Debug, PartialEq, Eq)]
pub enum TryRecvError {
    Empty,
    Closed,
}

struct Queue<T> {
    messages: VecDeque<T>,
    closed: bool,
}

struct Channel<T> {
    /// Inner message queue.
    queue: Mutex<Queue<T>>,

    /// Receive operations waiting while the channel is empty and not closed.
    recv_ops: Notify,

    /// The number of currently active `Sender`s.
    sender_count: AtomicUsize,
}

impl<T> Channel<T> {
    /// Closes the channel and notifies all blocked operations.
    ///
    /// Returns `true` if this call has closed the channel and it was not closed already.
    fn close(&self) -> bool {
        let closed = std::mem::replace(&mut self.queue.lock().closed, true);
        self.recv_ops.notify_waiters();
        !closed
    }

    fn is_closed(&self) -> bool {
        self.queue.lock().closed
    }
}

/// Creates an unbounded channel.
pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    let channel = Arc::new(Channel {
        queue: Mutex::new(Queue { messages: VecDeque::new(), closed: false }),
        recv_ops: Notify::new(),
        sender_count: AtomicUsize::new(1),
    });
    (Sender { channel: channel.clone() }, Receiver { channel })
}

/// The sending side of a channel. When all senders are dropped, the channel will be closed.
pub struct Sender<T> {
    channel: Arc<Channel<T>>,
}

impl<T> Sender<T> {
    /// Attempts to send a message into the channel.
    pub fn try_send(&self, msg: T) -> Result<(), T> {
        let mut queue = self.channel.queue.lock();
        if queue.closed {
            return Err(msg);
        }
        queue.messages.push_back(msg);
        self.channel.recv_ops.notify_one();
        Ok(())
    }

    pub fn sender_count(&self) -> usize {
        self.channel.sender_count.load(Ordering::SeqCst)
    }

    /// Downgrade the sender to a weak reference.
    pub fn downgrade(&self) -> WeakSender<T> {
        WeakSender { channel: self.channel.clone() }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        // Decrement the sender count and close the channel if it drops down to zero.
        if self.channel.sender_count.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.channel.close();
        }
    }
}

/// A [`Sender`] that does not prevent the channel from being closed.
pub struct WeakSender<T> {
    channel: Arc<Channel<T>>,
}

impl<T> WeakSender<T> {
    /// Upgrade the [`WeakSender`] into a [`Sender`].
    pub fn upgrade(&self) -> Option<Sender<T>> {
        if self.channel.is_closed() {
            None
        } else {
            match self.channel.sender_count.fetch_update(
                Ordering::Relaxed,
                Ordering::Relaxed,
                |count| if count == 0 { None } else { Some(count + 1) },
            ) {
                Err(_) => None,
                Ok(new_value) if new_value > usize::MAX / 2 => {
                    // Make sure the count never overflows, even if lots of sender clones are leaked.
                    process::abort();
                }
                Ok(_) => Some(Sender { channel: self.channel.clone() }),
            }
        }
    }
}

/// The receiving side of a channel.
pub struct Receiver<T> {
    channel: Arc<Channel<T>>,
}

impl<T> Receiver<T> {
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let mut queue = self.channel.queue.lock();
        match queue.messages.pop_front() {
            Some(msg) => Ok(msg),
            None if queue.closed => Err(TryRecvError::Closed),
            None => Err(TryRecvError::Empty),
        }
    }

    /// Receives a message: `None` when the channel is empty and closed.
    pub async fn recv(&self) -> Option<T> {
        loop {
            let mut listener = std::pin::pin!(self.channel.recv_ops.notified());
            listener.as_mut().enable();
            match self.try_recv() {
                Ok(msg) => return Some(msg),
                Err(TryRecvError::Closed) => return None,
                Err(TryRecvError::Empty) => listener.await,
            }
        }
    }
}
