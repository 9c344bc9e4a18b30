//! A thread that takes itself out of a list when it ends, unless somebody else has done so by then.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

#[derive(Default)]
struct Shift {
    next: u64,
    open: HashMap<u64, JoinHandle<()>>,
}

#[derive(Clone, Default)]
pub struct Staff {
    shift: Arc<Mutex<Shift>>,
}

impl Staff {
    pub fn hire(&self, work: impl FnOnce() + Send + 'static) {
        let staff = self.clone();
        let mut shift = self.shift.lock().unwrap();
        shift.next += 1;
        let number = shift.next;
        let thread = thread::spawn(move || {
            work();
            if let Some(thread) = staff.forget(number) {
                drop(thread);
            }
        });
        shift.open.insert(number, thread);
    }

    fn forget(&self, number: u64) -> Option<JoinHandle<()>> {
        self.shift.lock().unwrap().open.remove(&number)
    }

    pub fn dismiss(&self) {
        self.shift.lock().unwrap().open.clear();
    }
}

/// Insists on what others may have taken out.
#[derive(Clone, Default)]
pub struct Strict {
    shift: Arc<Mutex<Shift>>,
}

impl Strict {
    pub fn hire(&self, work: impl FnOnce() + Send + 'static) {
        let staff = self.clone();
        let mut shift = self.shift.lock().unwrap();
        shift.next += 1;
        let number = shift.next;
        let thread = thread::spawn(move || {
            work();
            drop(staff.forget(number));
        });
        shift.open.insert(number, thread); //~
    }

    fn forget(&self, number: u64) -> JoinHandle<()> {
        self.shift.lock().unwrap().open.remove(&number).expect("a thread that runs") //~
    }

    pub fn dismiss(&self) {
        self.shift.lock().unwrap().open.clear(); //~
    }
}
