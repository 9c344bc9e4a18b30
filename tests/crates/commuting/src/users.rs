//! Who is the first to come opens something, and who is the last to leave closes it: by the time that this is done, others may have left, or come.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counted without the lock of what is opened and closed.
#[derive(Default)]
pub struct Atrium {
    visitors: AtomicUsize,
    lamps: Mutex<Option<Vec<u8>>>,
}

impl Atrium {
    pub fn enter(&self) {
        self.visitors.fetch_add(1, Ordering::SeqCst); //~
        self.lamps.lock().unwrap().get_or_insert_with(|| vec![1, 2]); //~
    }

    pub fn look(&self, lamp: usize) -> u8 {
        self.lamps.lock().unwrap().as_ref().map_or(0, |lamps| lamps[lamp])
    }

    pub fn leave(&self) {
        if self.visitors.fetch_sub(1, Ordering::SeqCst) == 1 { //~
            *self.lamps.lock().unwrap() = None; //~
        }
    }
}

#[derive(Default)]
struct Lit {
    visitors: usize,
    lamps: Option<Vec<u8>>,
}

/// Counted under the lock.
#[derive(Default)]
pub struct Vault {
    lit: Mutex<Lit>,
}

impl Vault {
    pub fn enter(&self) {
        let mut lit = self.lit.lock().unwrap();
        lit.visitors += 1;
        lit.lamps.get_or_insert_with(|| vec![1, 2]);
    }

    pub fn leave(&self) {
        let mut lit = self.lit.lock().unwrap();
        lit.visitors -= 1;
        if lit.visitors == 0 {
            lit.lamps = None;
        }
    }
}

/// The number is only shown, and what is put away is put away each time.
#[derive(Default)]
pub struct Pier {
    visitors: AtomicUsize,
    lamps: Mutex<Vec<u8>>,
}

impl Pier {
    pub fn enter(&self) {
        self.visitors.fetch_add(1, Ordering::SeqCst);
        self.lamps.lock().unwrap().push(1);
    }

    pub fn leave(&self) -> usize {
        let left = self.visitors.fetch_sub(1, Ordering::SeqCst);
        self.lamps.lock().unwrap().pop();
        left
    }
}
