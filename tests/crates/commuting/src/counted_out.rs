//! Tasks that are counted before they are started, and count themselves out at their end.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

fn dig(hole: u64) -> u64 {
    hole.wrapping_mul(7)
}

/// How many dig is looked at meanwhile.
#[derive(Debug, Default)]
pub struct Garden {
    holes: Mutex<Vec<u64>>,
    digging: Arc<AtomicUsize>,
}

impl Garden {
    pub fn mark(&self, hole: u64) {
        self.holes.lock().unwrap().push(hole);
    }

    pub fn dig(&self) -> bool {
        let mut holes = self.holes.lock().unwrap();
        while self.digging.load(SeqCst) < 4 {
            let Some(hole) = holes.pop() else { break };
            self.digging.fetch_add(1, SeqCst);
            let digging = self.digging.clone();
            thread::spawn(move || {
                dig(hole);
                digging.fetch_sub(1, SeqCst);
            });
        }
        self.digging.load(SeqCst) == 0
    }
}

/// Who has started them insists that they dig still.
#[derive(Debug, Default)]
pub struct Field {
    digging: Arc<AtomicUsize>,
}

impl Field {
    pub fn dig(&self, hole: u64) {
        self.digging.fetch_add(1, SeqCst);
        let digging = self.digging.clone();
        thread::spawn(move || {
            dig(hole);
            digging.fetch_sub(1, SeqCst); //~
        });
        assert!(self.digging.load(SeqCst) > 0); //~
    }
}
