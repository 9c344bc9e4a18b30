//! Several objects that go through the same code.
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, RwLock, RwLockWriteGuard};

#[derive(Default)]
struct Waiters {
    list: Mutex<Vec<u64>>,
}

impl Waiters {
    fn with<R>(&self, f: impl FnOnce(&mut Vec<u64>) -> R) -> R {
        f(&mut self.list.lock().unwrap())
    }

    /// Lock and data are of one object, whoever calls.
    fn wake(&self) -> bool {
        self.with(|list| {
            if list.is_empty() {
                return false;
            }
            list.remove(0);
            true
        })
    }

    /// Two sections.
    fn enter(&self, who: u64) {
        if self.with(|list| !list.contains(&who)) { //~
            self.with(|list| list.insert(0, who)); //~
        }
    }
}

#[derive(Default)]
pub struct Channel {
    senders: Waiters,
    receivers: Waiters,
    both: Arc<Waiters>,
}

impl Channel {
    pub fn send(&self) -> bool {
        self.receivers.wake()
    }

    pub fn receive(&self) -> bool {
        self.senders.wake()
    }

    pub fn enter(&self, who: u64) {
        self.both.enter(who);
    }
}

/// Made when it is first needed.
#[derive(Default)]
pub struct Late {
    waiters: AtomicPtr<Waiters>,
}

impl Late {
    fn waiters(&self) -> &Waiters {
        let mut found = self.waiters.load(Ordering::Acquire);
        if found.is_null() {
            let new = Box::into_raw(Box::new(Waiters::default()));
            let exchanged = self.waiters.compare_exchange(found, new, Ordering::AcqRel, Ordering::Acquire);
            found = match exchanged {
                Ok(_) => new,
                Err(other) => other,
            };
        }
        // SAFETY: it is never given back.
        unsafe { &*found }
    }

    pub fn wake(&self) -> bool {
        self.waiters().wake()
    }

    pub fn wait(&self, who: u64) {
        self.waiters().with(|list| list.push(who));
    }
}

/// A lock of one's own around that of the library.
#[derive(Default)]
pub struct Table {
    rows: RwLock<Vec<u64>>,
}

pub struct Writing<'t>(RwLockWriteGuard<'t, Vec<u64>>);

#[derive(Debug)]
pub struct Busy;

impl Table {
    fn try_write(&self) -> Option<Writing<'_>> {
        self.rows.try_write().ok().map(Writing)
    }

    fn write(&self) -> Result<RwLockWriteGuard<'_, Vec<u64>>, Busy> {
        match self.rows.try_write() {
            Ok(rows) => Ok(rows),
            Err(_) => Err(Busy),
        }
    }

    /// Who does not get the lock does nothing.
    pub fn insert(&self, row: u64) -> bool {
        let Some(mut rows) = self.try_write() else { return false };
        if !rows.0.contains(&row) {
            rows.0.insert(0, row);
        }
        true
    }

    pub fn replace(&self, old: u64, new: u64) -> Result<(), Busy> {
        let mut rows = self.write()?;
        if let Some(at) = rows.iter().position(|row| *row == old) {
            rows[at] = new;
        }
        Ok(())
    }
}

fn trace(counter: &AtomicUsize) {
    counter.store(0, Ordering::Relaxed);
}

/// What is never reached changes nothing.
#[derive(Default)]
pub struct Stack {
    head: AtomicUsize,
}

impl Stack {
    pub fn push(&self, new: usize) {
        let mut head = self.head.load(Ordering::Acquire);
        loop {
            if cfg!(test) && cfg!(miri) {
                trace(&self.head);
            }
            match self.head.compare_exchange(head, head ^ new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(found) => head = found,
            }
        }
    }
}
