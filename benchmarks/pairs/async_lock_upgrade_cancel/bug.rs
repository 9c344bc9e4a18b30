// Source: smol-rs/async-lock pull request #46 (deadlock after a cancelled upgrade of an upgradable read lock)
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{ready, Context, Poll};

use tokio::sync::futures::Notified;
use tokio::sync::{Notify, Semaphore};

const WRITER_BIT: usize = 1;
const ONE_READER: usize = 2;

/// A "raw" RwLock that doesn't hold any data.
pub struct RawRwLock {
    /// Acquired by the writer, and by the upgradable reader.
    mutex: Semaphore,

    /// Event triggered when the last reader is dropped.
    no_readers: Notify,

    /// Event triggered when the writer is dropped.
    no_writer: Notify,

    /// Current state of the lock.
    ///
    /// The least significant bit (`WRITER_BIT`) is set to 1 when a writer is holding the lock or
    /// trying to acquire it.
    ///
    /// The upper bits contain the number of currently active readers. Each active reader
    /// increments the state by `ONE_READER`.
    state: AtomicUsize,
}

impl RawRwLock {
    pub fn new() -> Self {
        RawRwLock {
            mutex: Semaphore::new(1),
            no_readers: Notify::new(),
            no_writer: Notify::new(),
            state: AtomicUsize::new(0),
        }
    }

    /// Returns `true` iff a read lock was successfully acquired.
    pub fn try_read(&self) -> bool {
        self.state
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |state| {
                // If there's a writer holding the lock or attempting to acquire it, we cannot
                // acquire a read lock here.
                (state & WRITER_BIT == 0).then_some(state + ONE_READER)
            })
            .is_ok()
    }

    pub async fn read(&self) {
        loop {
            let mut listener = std::pin::pin!(self.no_writer.notified());
            listener.as_mut().enable();
            if self.try_read() {
                return;
            }
            listener.await;
        }
    }

    pub async fn upgradable_read(&self) {
        self.mutex.acquire().await.unwrap().forget();
        self.state.fetch_add(ONE_READER, Ordering::SeqCst);
    }

    pub async fn write(&self) {
        self.mutex.acquire().await.unwrap().forget();
        self.state.fetch_or(WRITER_BIT, Ordering::SeqCst);
        let waiting = WaitingReaders { lock: self };
        loop {
            let mut listener = std::pin::pin!(self.no_readers.notified());
            listener.as_mut().enable();
            if self.state.load(Ordering::SeqCst) == WRITER_BIT {
                // We are the only ones holding the lock.
                std::mem::forget(waiting);
                return;
            }
            listener.await;
        }
    }

    /// Caller must hold an upgradable read lock. This will upgrade it to a write lock.
    pub fn upgrade(&self) -> RawUpgrade<'_> {
        // Set `WRITER_BIT` and decrement the number of readers at the same time.
        self.state.fetch_sub(ONE_READER - WRITER_BIT, Ordering::SeqCst);
        RawUpgrade { lock: Some(self), listener: None }
    }

    /// Caller must hold a read lock. This will unlock that lock.
    pub fn read_unlock(&self) {
        // Decrement the number of readers.
        if self.state.fetch_sub(ONE_READER, Ordering::SeqCst) & !WRITER_BIT == ONE_READER {
            // If this was the last reader, trigger the "no readers" event.
            self.no_readers.notify_one();
        }
    }

    /// Caller must hold an upgradable read lock. This will unlock that lock.
    pub fn upgradable_read_unlock(&self) {
        self.read_unlock();
        self.mutex.add_permits(1);
    }

    /// Caller must hold a write lock. This will unlock that lock.
    pub fn write_unlock(&self) {
        // Unset `WRITER_BIT`.
        self.state.fetch_and(!WRITER_BIT, Ordering::SeqCst);
        // Trigger the "no writer" event.
        self.no_writer.notify_waiters();
        // Release the writer lock.
        self.mutex.add_permits(1);
    }
}

/// A write lock whose readers have not finished: given back when [`RawRwLock::write`] is canceled.
struct WaitingReaders<'a> {
    lock: &'a RawRwLock,
}

impl Drop for WaitingReaders<'_> {
    fn drop(&mut self) {
        self.lock.write_unlock();
    }
}

/// The future returned by [`RawRwLock::upgrade`].
pub struct RawUpgrade<'a> {
    lock: Option<&'a RawRwLock>,

    /// The event listener we are waiting on.
    listener: Option<Pin<Box<Notified<'a>>>>,
}

impl Future for RawUpgrade<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        let lock = this.lock.expect("cannot poll future after completion");

        // If there are readers, we need to wait for them to finish.
        while lock.state.load(Ordering::SeqCst) != WRITER_BIT {
            match &mut this.listener {
                None => {
                    // Start listening for "no readers" events.
                    let mut listener = Box::pin(lock.no_readers.notified());
                    listener.as_mut().enable();
                    this.listener = Some(listener);
                }
                Some(listener) => {
                    // Wait for the readers to finish.
                    ready!(listener.as_mut().poll(cx));
                    this.listener = None;
                }
            }
        }

        // We are done.
        this.lock = None;
        Poll::Ready(())
    }
}

impl Drop for RawUpgrade<'_> {
    fn drop(&mut self) {
        if let Some(lock) = self.lock {
            // Unset `WRITER_BIT`.
            lock.state.fetch_and(!WRITER_BIT, Ordering::SeqCst); //~
            // Trigger the "no writer" event.
            lock.no_writer.notify_waiters(); //~
        }
    }
}
