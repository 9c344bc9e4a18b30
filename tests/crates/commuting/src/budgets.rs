//! Who plainly stores what it made of what it read loses what others did meanwhile, by compare-exchange or not.

use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

/// What may still be done: taken by compare-exchange, given back by a plain store of what was made of what was there.
pub struct Budget {
    left: AtomicUsize,
    most: usize,
}

impl Budget {
    pub fn take(&self) -> bool {
        let mut left = self.left.load(SeqCst);
        loop {
            if left == 0 {
                return false;
            }
            match self.left.compare_exchange_weak(left, left - 1, SeqCst, SeqCst) {
                Ok(_) => return true,
                Err(now) => left = now,
            }
        }
    }

    pub fn give_back(&self, some: usize) {
        let left = self.left.load(SeqCst); //~
        self.left.store((left + some).min(self.most), SeqCst); //~
    }

    pub fn left(&self) -> usize {
        self.left.load(SeqCst)
    }
}

/// The same, given back by compare-exchange, too.
pub struct Allowance {
    left: AtomicUsize,
    most: usize,
}

impl Allowance {
    pub fn take(&self) -> bool {
        self.left.fetch_update(SeqCst, SeqCst, |left| left.checked_sub(1)).is_ok()
    }

    pub fn give_back(&self, some: usize) {
        let mut left = self.left.load(SeqCst);
        while let Err(now) =
            self.left.compare_exchange(left, (left + some).min(self.most), SeqCst, SeqCst)
        {
            left = now;
        }
    }

    pub fn left(&self) -> usize {
        self.left.load(SeqCst)
    }
}

/// A bit of a word, given back by whoever set it by compare-exchange.
#[derive(Default)]
pub struct Gate {
    word: AtomicUsize,
    passed: Mutex<u64>,
}

impl Gate {
    pub fn pass(&self) -> bool {
        let word = self.word.load(SeqCst);
        if word & 1 != 0 || self.word.compare_exchange(word, word | 1, SeqCst, SeqCst).is_err() {
            return false;
        }
        *self.passed.lock().unwrap() += 1;
        self.word.store(self.word.load(SeqCst) & !1, SeqCst);
        true
    }

    pub fn passed(&self) -> u64 {
        *self.passed.lock().unwrap()
    }
}
