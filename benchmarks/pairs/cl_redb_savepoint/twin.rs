// redb 4.2.0: the look and the registration are under the lock of the tables.
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Tracker {
    savepoints: Mutex<BTreeSet<u64>>,
}

impl Tracker {
    fn register(&self, id: u64) {
        self.savepoints.lock().unwrap().insert(id);
    }
    fn any(&self) -> bool {
        !self.savepoints.lock().unwrap().is_empty()
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Tracking {
    Track,
    Ignore,
}

pub struct WriteTransaction {
    tracker: Arc<Tracker>,
    tables: Mutex<Vec<String>>,
    dirty: AtomicBool,
    allocated: Mutex<(Tracking, Vec<u64>)>,
}

impl WriteTransaction {
    pub fn new(tracker: Arc<Tracker>) -> Self {
        WriteTransaction { tracker, tables: Mutex::new(vec![]), dirty: AtomicBool::new(false), allocated: Mutex::new((Tracking::Track, vec![])) }
    }

    pub fn savepoint(&self, id: u64) -> Result<u64, ()> {
        let _tables = self.tables.lock().unwrap();
        if self.dirty.load(Ordering::Acquire) {
            return Err(());
        }
        self.tracker.register(id);
        Ok(id)
    }

    pub fn open_table(&self, name: &str) {
        let mut tables = self.tables.lock().unwrap();
        self.dirty.store(true, Ordering::Release);
        if !self.tracker.any() {
            self.allocated.lock().unwrap().0 = Tracking::Ignore;
        }
        tables.push(name.to_string());
    }

    pub fn allocate(&self, page: u64) {
        let mut allocated = self.allocated.lock().unwrap();
        if allocated.0 == Tracking::Track {
            allocated.1.push(page);
        }
    }

    pub fn restore(&self) -> Vec<u64> {
        std::mem::take(&mut self.allocated.lock().unwrap().1)
    }
}
