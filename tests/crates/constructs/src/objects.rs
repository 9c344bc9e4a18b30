//! Several objects that go through the same code.
use std::collections::HashMap;
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

/// Several looks in one loop: each attempt starts from what the last one found.
#[derive(Default)]
pub struct Gate {
    state: AtomicUsize,
}

impl Gate {
    pub fn enter(&self) {
        let mut spins = 0;
        let mut state = self.state.load(Ordering::Acquire);
        loop {
            if state & 1 == 0 {
                match self.state.compare_exchange(state, state | 1, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return,
                    Err(found) => state = found,
                }
                continue;
            }
            if spins < 10 {
                spins += 1;
                state = self.state.load(Ordering::Acquire);
                continue;
            }
            match self.state.compare_exchange(state, state | 2, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return,
                Err(found) => state = found,
            }
        }
    }
}

/// What is made once per label, looked for twice.
#[derive(Default)]
pub struct Metrics {
    made: RwLock<HashMap<u64, Arc<u64>>>,
}

impl Metrics {
    fn labels<'l>(&self, names: &'l [String]) -> Result<Vec<&'l str>, Busy> {
        let mut labels = Vec::new();
        for name in names {
            if name.is_empty() {
                return Err(Busy);
            }
            labels.push(name.as_str());
        }
        Ok(labels)
    }

    /// In between something is made that is nobody else's.
    pub fn get(&self, key: u64, names: &[String]) -> Result<Arc<u64>, Busy> {
        if let Some(found) = self.made.read().unwrap().get(&key).cloned() {
            return Ok(found);
        }
        let labels = self.labels(names)?;
        self.get_or_make(key, &labels)
    }

    fn get_or_make(&self, key: u64, labels: &[&str]) -> Result<Arc<u64>, Busy> {
        let mut made = self.made.write().unwrap();
        if let Some(found) = made.get(&key).cloned() {
            return Ok(found);
        }
        let new = Arc::new(labels.len() as u64);
        made.insert(key, new.clone());
        Ok(new)
    }

    pub fn forget(&self, key: u64) {
        self.made.write().unwrap().remove(&key);
    }

    /// What a closure holds does not come out of the call that it is given to.
    pub fn find(&self, least: &mut u64) -> Vec<Arc<u64>> {
        let made = self.made.read().unwrap();
        let found = made.values().filter(|value| ***value > *least).cloned().collect();
        *least += 1;
        found
    }
}
