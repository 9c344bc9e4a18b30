//! What closures capture behind several fields of one variable, of which the compiler prints only the first ones.

use std::sync::{Arc, Mutex};

/// Two ends of a rope.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    pub left: Arc<Mutex<u64>>,
    pub right: Arc<Mutex<u64>>,
}

/// Who pulls has all of the pull to itself, or not.
#[derive(Debug, Default)]
pub struct Rope {
    ends: Ends,
    torn: Arc<Mutex<u64>>,
    pulls: Arc<Mutex<u64>>,
}

impl Rope {
    pub fn tear(&self) {
        let (ends, torn) = (self.ends.clone(), self.torn.clone());
        std::thread::spawn(move || {
            *ends.left.lock().unwrap() += 1;
            *ends.right.lock().unwrap() += 1;
            let seen = *torn.lock().unwrap(); //~
            *torn.lock().unwrap() = seen + 1; //~
        });
    }

    pub fn pull(&self) {
        let (ends, pulls) = (self.ends.clone(), self.pulls.clone());
        std::thread::spawn(move || {
            *ends.left.lock().unwrap() += 1;
            *ends.right.lock().unwrap() += 1;
            let mut pulls = pulls.lock().unwrap();
            let seen = *pulls;
            *pulls = seen + 1;
        });
    }

    pub fn strength(&self) -> u64 {
        *self.pulls.lock().unwrap()
    }
}
