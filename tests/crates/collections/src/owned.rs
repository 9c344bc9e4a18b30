//! A writer that nobody can clone, and readers that share what it is made of, and put something into that.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::Thread;

struct Slot {
    left: AtomicUsize,
    waiting: Mutex<Option<Arc<Thread>>>,
}

struct Ring {
    slots: Vec<Slot>,
    at: AtomicUsize,
}

/// The only one who writes.
pub struct Writer {
    ring: Arc<Ring>,
}

pub struct Reader {
    ring: Arc<Ring>,
    thread: Arc<Thread>,
}

impl Writer {
    pub fn new(length: usize) -> Writer {
        let slot = |_| Slot { left: AtomicUsize::new(0), waiting: Mutex::new(None) };
        Writer { ring: Arc::new(Ring { slots: (0..length).map(slot).collect(), at: AtomicUsize::new(0) }) }
    }

    pub fn reader(&mut self, thread: Arc<Thread>) -> Reader {
        Reader { ring: Arc::clone(&self.ring), thread }
    }

    /// Two of these are never made at once, whatever readers put in.
    pub fn write(&mut self) {
        let at = self.ring.at.load(Ordering::SeqCst);
        self.ring.at.store((at + 1) % self.ring.slots.len(), Ordering::SeqCst);
        if let Some(reader) = self.ring.slots[at].waiting.lock().unwrap().take() {
            reader.unpark();
        }
    }
}

impl Reader {
    pub fn wait(&mut self, at: usize) {
        *self.ring.slots[at].waiting.lock().unwrap() = Some(Arc::clone(&self.thread));
        self.ring.slots[at].left.fetch_add(1, Ordering::SeqCst);
    }
}

/// Writers who all have one position.
#[derive(Default)]
pub struct Desk {
    position: Arc<AtomicUsize>,
}

pub struct Lease {
    position: Arc<AtomicUsize>,
}

impl Desk {
    pub fn lease(&self) -> Lease {
        Lease { position: Arc::clone(&self.position) }
    }
}

impl Lease {
    pub fn advance(&mut self) {
        let at = self.position.load(Ordering::SeqCst); //~
        self.position.store(at + 1, Ordering::SeqCst); //~
    }
}
