// Source: apache/asyncband (mea) PR #94, repaired as there: only a slot whose version is newer than the head has overtaken the receiver; an
// older one, or one without a message, has not been written yet, and is as good as empty.
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};

#[derive(Debug, PartialEq, Eq)]
pub enum TryRecvError {
    Empty,
    Disconnected,
    /// So many messages were overwritten before they were received.
    Lagged(u64),
}

#[derive(Debug, PartialEq, Eq)]
pub struct SendError<T>(pub T);

struct Slot<T> {
    /// The position of the message.
    version: u64,
    msg: Option<T>,
}

struct Shared<T> {
    buffer: Box<[RwLock<Slot<T>>]>,
    /// The next position to be written.
    tail: AtomicU64,
    /// Held while a message is written.
    writing: Mutex<()>,
    senders: AtomicUsize,
    receivers: AtomicUsize,
}

impl<T> Shared<T> {
    fn capacity(&self) -> u64 {
        self.buffer.len() as u64
    }

    fn slot(&self, position: u64) -> &RwLock<Slot<T>> {
        &self.buffer[(position % self.capacity()) as usize]
    }
}

pub struct Sender<T> {
    shared: Arc<Shared<T>>,
}

pub struct Receiver<T> {
    shared: Arc<Shared<T>>,
    head: u64,
}

pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    assert!(capacity > 0, "capacity must be positive");
    let buffer = (0..capacity).map(|_| RwLock::new(Slot { version: 0, msg: None })).collect();
    let shared = Arc::new(Shared {
        buffer,
        tail: AtomicU64::new(0),
        writing: Mutex::new(()),
        senders: AtomicUsize::new(1),
        receivers: AtomicUsize::new(1),
    });
    (Sender { shared: shared.clone() }, Receiver { shared, head: 0 })
}

impl<T: Clone> Sender<T> {
    pub fn send(&self, msg: T) -> Result<(), SendError<T>> {
        let _writing = self.shared.writing.lock();
        if self.shared.receivers.load(Ordering::SeqCst) == 0 {
            return Err(SendError(msg));
        }
        let position = self.shared.tail.fetch_add(1, Ordering::SeqCst);
        let mut slot = self.shared.slot(position).write();
        slot.version = position;
        slot.msg = Some(msg);
        Ok(())
    }

    pub fn subscribe(&self) -> Receiver<T> {
        let _writing = self.shared.writing.lock();
        self.shared.receivers.fetch_add(1, Ordering::SeqCst);
        Receiver { shared: self.shared.clone(), head: self.shared.tail.load(Ordering::SeqCst) }
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.shared.senders.fetch_add(1, Ordering::SeqCst);
        Sender { shared: self.shared.clone() }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.shared.senders.fetch_sub(1, Ordering::SeqCst);
    }
}

impl<T: Clone> Receiver<T> {
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        let disconnected = self.shared.senders.load(Ordering::SeqCst) == 0;
        let head = self.head;
        if self.shared.tail.load(Ordering::SeqCst) == head {
            return Err(if disconnected { TryRecvError::Disconnected } else { TryRecvError::Empty });
        }

        let slot = self.shared.slot(head).read();
        match &slot.msg {
            Some(msg) if slot.version == head => {
                let msg = msg.clone();
                self.head += 1;
                Ok(msg)
            }
            Some(_) if slot.version > head => {
                drop(slot);
                Err(self.lagged())
            }
            // The tail has been moved on, but the message has not been written yet.
            _ => Err(TryRecvError::Empty),
        }
    }

    fn lagged(&mut self) -> TryRecvError {
        let _writing = self.shared.writing.lock();
        let tail = self.shared.tail.load(Ordering::SeqCst);
        let oldest = tail.saturating_sub(self.shared.capacity());
        let missed = oldest.saturating_sub(self.head);
        self.head = oldest;
        TryRecvError::Lagged(missed)
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.shared.receivers.fetch_sub(1, Ordering::SeqCst);
    }
}
