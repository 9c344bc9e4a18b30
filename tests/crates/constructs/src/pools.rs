//! Work that is shared out and joined at the end of the construct.
use std::sync::Mutex;

use rayon::prelude::*;

#[derive(Default)]
pub struct Rayon {
    last: Mutex<u64>,
    sum: Mutex<u64>,
}

impl Rayon {
    pub fn both(&self) {
        rayon::join(
            || *self.last.lock().unwrap() = 1, //~
            || *self.last.lock().unwrap() = 2, //~
        );
    }

    pub fn add_both(&self) {
        rayon::join(|| *self.sum.lock().unwrap() += 1, || *self.sum.lock().unwrap() += 2);
    }
}

/// Items are worked on side by side.
#[derive(Default)]
pub struct Items {
    found: Mutex<Option<u64>>,
    count: Mutex<u64>,
}

impl Items {
    pub fn find(&self, items: &[u64]) {
        items.par_iter().for_each(|item| {
            if self.found.lock().unwrap().is_none() { //~
                *self.found.lock().unwrap() = Some(*item); //~
            }
        });
    }

    pub fn count(&self, items: &[u64]) {
        items.par_iter().for_each(|item| *self.count.lock().unwrap() += item);
    }
}

#[derive(Default)]
pub struct Scoped {
    last: Mutex<u64>,
    sum: Mutex<u64>,
}

impl Scoped {
    pub fn rayon(&self) {
        rayon::scope(|scope| {
            scope.spawn(|_| *self.last.lock().unwrap() = 1); //~
            scope.spawn(|_| *self.last.lock().unwrap() = 2); //~
        });
    }

    pub fn crossbeam(&self) {
        let _ = crossbeam::scope(|scope| {
            scope.spawn(|_| *self.sum.lock().unwrap() += 1);
            scope.spawn(|_| *self.sum.lock().unwrap() += 2);
        });
    }
}

/// What the scope's threads wrote is there after it.
pub fn scope_is_joined() -> u64 {
    let mut value = 0;
    rayon::scope(|scope| scope.spawn(|_| value = 1));
    value
}

#[derive(Default)]
pub struct Spawned {
    value: std::sync::Arc<Mutex<u64>>,
}

impl Spawned {
    pub fn run(&self) -> bool {
        let value = self.value.clone();
        rayon::spawn(move || *value.lock().unwrap() = 1); //~
        *self.value.lock().unwrap() == 0 //~
    }
}
