//! Numbers of all widths and signs, compared with constants: what cannot happen is not found, and what can is.

pub mod named;

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering::SeqCst};

pub struct Gauge {
    level: AtomicI64,
    samples: Mutex<Vec<u32>>,
    spills: Mutex<u64>,
}

impl Gauge {
    pub fn new() -> Self {
        Gauge { level: AtomicI64::new(0), samples: Mutex::default(), spills: Mutex::new(0) }
    }

    pub fn close(&self) {
        self.level.store(-1, SeqCst);
    }

    /// In MIR, the arms have numbers without a sign.
    pub fn drain(&self) {
        match self.level.load(SeqCst) {
            -1 => {
                let samples = self.samples.lock().unwrap().len(); //~
                self.samples.lock().unwrap().truncate(samples / 2); //~
            }
            -2 => {
                let spills = *self.spills.lock().unwrap();
                *self.spills.lock().unwrap() = spills + 1;
            }
            _ => {}
        }
    }
}

pub struct Alarm {
    phase: AtomicU64,
    raised: Mutex<u64>,
    skipped: Mutex<u64>,
}

impl Alarm {
    pub fn new() -> Self {
        Alarm { phase: AtomicU64::new(0), raised: Mutex::new(0), skipped: Mutex::new(0) }
    }

    pub fn next_phase(&self) {
        self.phase.store(2, SeqCst);
    }

    /// All phases come before so late a one, and none comes behind it.
    pub fn raise(&self) {
        if self.phase.load(SeqCst) < 18_446_744_073_709_551_615 {
            let raised = *self.raised.lock().unwrap(); //~
            *self.raised.lock().unwrap() = raised + 1; //~
        }
    }

    pub fn skip(&self) {
        if self.phase.load(SeqCst) > 9_000_000_000 {
            let skipped = *self.skipped.lock().unwrap();
            *self.skipped.lock().unwrap() = skipped + 2;
        }
    }
}
