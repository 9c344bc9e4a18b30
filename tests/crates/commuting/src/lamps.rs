//! Many words that all go from one constant to another, and never back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Duration;

const LIT: usize = 0;
const OUT: usize = 2;

/// A lamp that goes out, and who sees one that is out and puts out all of them, leave the same.
#[derive(Debug, Default)]
pub struct Street {
    lamps: usize,
}

impl Street {
    pub fn watch(&self) {
        let lamps: Vec<_> = (0..self.lamps).map(|_| Arc::new(AtomicUsize::new(LIT))).collect();
        for (number, lamp) in lamps.iter().enumerate() {
            let lamp = Arc::clone(lamp);
            thread::spawn(move || {
                while lamp.load(SeqCst) == LIT {
                    thread::sleep(Duration::from_millis(number as u64));
                    if number % 2 == 0 {
                        lamp.store(OUT, SeqCst);
                        return;
                    }
                }
                lamp.store(OUT, SeqCst);
            });
        }
        thread::sleep(Duration::from_secs(1));
        if lamps.iter().any(|lamp| lamp.load(SeqCst) == OUT) {
            for lamp in &lamps {
                lamp.store(OUT, SeqCst);
            }
        }
    }
}

/// Some are lit again: who puts one out because it was lit, and the one that lights it, do not leave the same.
#[derive(Debug)]
pub struct Square {
    lamps: Vec<AtomicUsize>,
}

impl Square {
    pub fn put_out(&self, number: usize) -> bool {
        if self.lamps[number].load(SeqCst) == OUT { //~
            return false;
        }
        thread::sleep(Duration::from_millis(1));
        self.lamps[number].store(OUT, SeqCst); //~
        true
    }

    pub fn light(&self, number: usize) {
        self.lamps[number].store(LIT, SeqCst); //~
    }
}
