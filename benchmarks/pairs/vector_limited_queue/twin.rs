// Source: vectordotdev/vector pull request #24695 (Fix race draining a memory buffer)
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;

use crossbeam::queue::ArrayQueue;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, TryAcquireError};

/// Error returned by `LimitedSender::send` when the receiver has disconnected.
#[derive(Debug, PartialEq, Eq)]
pub struct SendError<T>(pub T);

/// Error returned by `LimitedSender::try_send`.
#[derive(Debug, PartialEq, Eq)]
pub enum TrySendError<T> {
    InsufficientCapacity(T),
    Disconnected(T),
}

struct Inner<T> {
    data: Arc<ArrayQueue<(OwnedSemaphorePermit, T)>>,
    limiter: Arc<Semaphore>,
    read_waker: Arc<Notify>,
    capacity: NonZeroUsize,
}

impl<T> Clone for Inner<T> {
    fn clone(&self) -> Self {
        Self {
            data: self.data.clone(),
            limiter: self.limiter.clone(),
            read_waker: self.read_waker.clone(),
            capacity: self.capacity,
        }
    }
}

impl<T> Inner<T> {
    fn send_with_permits(&self, permits: OwnedSemaphorePermit, item: T) {
        self.data
            .push((permits, item))
            .unwrap_or_else(|_| unreachable!("acquired permits but channel reported being full."));
        self.read_waker.notify_one();
    }
}

pub struct LimitedSender<T> {
    inner: Inner<T>,
    sender_count: Arc<AtomicUsize>,
}

impl<T> LimitedSender<T> {
    /// Gets the number of items that this channel could accept.
    pub fn available_capacity(&self) -> usize {
        self.inner.limiter.available_permits()
    }

    /// Sends an item into the channel.
    pub async fn send(&mut self, item: T) -> Result<(), SendError<T>> {
        match self.inner.limiter.clone().acquire_owned().await {
            Ok(permits) => {
                self.inner.send_with_permits(permits, item);
                Ok(())
            }
            Err(_) => Err(SendError(item)),
        }
    }

    /// Attempts to send an item into the channel.
    pub fn try_send(&mut self, item: T) -> Result<(), TrySendError<T>> {
        match self.inner.limiter.clone().try_acquire_owned() {
            Ok(permits) => {
                self.inner.send_with_permits(permits, item);
                Ok(())
            }
            Err(TryAcquireError::NoPermits) => Err(TrySendError::InsufficientCapacity(item)),
            Err(TryAcquireError::Closed) => Err(TrySendError::Disconnected(item)),
        }
    }
}

impl<T> Clone for LimitedSender<T> {
    fn clone(&self) -> Self {
        self.sender_count.fetch_add(1, Ordering::SeqCst);

        Self {
            inner: self.inner.clone(),
            sender_count: Arc::clone(&self.sender_count),
        }
    }
}

impl<T> Drop for LimitedSender<T> {
    fn drop(&mut self) {
        // If we're the last sender to drop, close the semaphore on our way out the door.
        if self.sender_count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.inner.limiter.close();
            self.inner.read_waker.notify_one();
        }
    }
}

pub struct LimitedReceiver<T> {
    inner: Inner<T>,
}

impl<T: Send + 'static> LimitedReceiver<T> {
    /// Gets the number of items that this channel could accept.
    pub fn available_capacity(&self) -> usize {
        self.inner.limiter.available_permits()
    }

    pub fn capacity(&self) -> usize {
        self.inner.capacity.get()
    }

    pub async fn next(&mut self) -> Option<T> {
        loop {
            if let Some((permit, item)) = self.inner.data.pop() {
                drop(permit);
                return Some(item);
            }

            // There wasn't an item for us to pop, so see if the channel is actually closed.  If so,
            // then it's time for us to close up shop as well.
            if self.inner.limiter.is_closed() {
                if self.available_capacity() < self.inner.capacity.get() {
                    // We only terminate when closed and fully drained. A close can race with queue
                    // visibility while items/in-flight permits still exist.
                    tokio::task::yield_now().await;
                    continue;
                }
                return None;
            }

            // We're not closed, so we need to wait for a writer to tell us they made some
            // progress.  This might end up being a spurious wakeup since `Notify` will
            // store a wake-up if there are no waiters, but oh well.
            self.inner.read_waker.notified().await;
        }
    }
}

impl<T> Drop for LimitedReceiver<T> {
    fn drop(&mut self) {
        // Notify senders that the channel is now closed by closing the semaphore.  Any pending
        // acquisitions will be awoken and notified that the semaphore is closed, and further new
        // sends will immediately see the semaphore is closed.
        self.inner.limiter.close();
    }
}

pub fn limited<T>(limit: NonZeroUsize) -> (LimitedSender<T>, LimitedReceiver<T>) {
    let inner = Inner {
        data: Arc::new(ArrayQueue::new(limit.get())),
        limiter: Arc::new(Semaphore::new(limit.get())),
        read_waker: Arc::new(Notify::new()),
        capacity: limit,
    };

    let sender = LimitedSender {
        inner: inner.clone(),
        sender_count: Arc::new(AtomicUsize::new(1)),
    };
    let receiver = LimitedReceiver { inner };

    (sender, receiver)
}
