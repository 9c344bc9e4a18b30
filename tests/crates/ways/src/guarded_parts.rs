//! What only one caller has, in a lock: its own parts are that caller's, and what its parts lead to may be everybody's.

use std::sync::{Arc, Mutex};

/// What all errands have.
#[derive(Default)]
pub struct Errands {
    open: Mutex<u32>,
}

static ERRANDS: Errands = Errands { open: Mutex::new(0) };

struct Course {
    errands: &'static Errands,
    steps: u32,
}

/// Nobody can clone it.
pub struct Errand {
    inner: Arc<Mutex<Course>>,
}

impl Errand {
    pub fn open() -> Errand {
        *ERRANDS.open.lock().unwrap() += 1;
        Errand { inner: Arc::new(Mutex::new(Course { errands: &ERRANDS, steps: 0 })) }
    }

    pub fn advance(&mut self) {
        if self.inner.lock().unwrap().steps < 3 {
            self.inner.lock().unwrap().steps += 1;
        }
    }

    pub fn close(self) {
        let errands = self.inner.lock().unwrap().errands;
        if *errands.open.lock().unwrap() > 0 { //~
            *errands.open.lock().unwrap() -= 1; //~
        }
    }
}

/// Several have one.
#[derive(Clone)]
pub struct CommonErrand {
    inner: Arc<Mutex<Course>>,
}

impl CommonErrand {
    pub fn open() -> CommonErrand {
        CommonErrand { inner: Arc::new(Mutex::new(Course { errands: &ERRANDS, steps: 0 })) }
    }

    pub fn advance(&mut self) {
        if self.inner.lock().unwrap().steps < 3 { //~
            self.inner.lock().unwrap().steps += 1; //~
        }
    }

    pub fn errands(&self) -> &'static Errands {
        self.inner.lock().unwrap().errands
    }
}
