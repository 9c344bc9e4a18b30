//! What is taken for something else at first sight.
use parking_lot::lock_api;
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

/// A lock of one's own for a library's wrapper: what is inside is nobody's business.
pub struct Spin {
    state: AtomicU8,
}

unsafe impl lock_api::RawMutex for Spin {
    #[allow(clippy::declare_interior_mutable_const)]
    const INIT: Spin = Spin { state: AtomicU8::new(0) };
    type GuardMarker = lock_api::GuardSend;

    fn lock(&self) {
        while self.state.load(Ordering::Relaxed) != 0 || self.state.swap(1, Ordering::Acquire) != 0 {
            std::hint::spin_loop();
        }
    }

    fn try_lock(&self) -> bool {
        self.state.load(Ordering::Relaxed) == 0 && self.state.swap(1, Ordering::Acquire) == 0
    }

    unsafe fn unlock(&self) {
        self.state.store(0, Ordering::Release);
    }
}

thread_local! {
    static NUMBER: Cell<Option<u32>> = const { Cell::new(None) };
}

/// Numbers for threads: the counter is shared, the number is the thread's own.
pub struct Numbers {
    next: AtomicU32,
}

impl Numbers {
    pub fn own(&self) -> u32 {
        if let Some(number) = NUMBER.with(|own| own.get()) {
            return number;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        NUMBER.with(|own| own.set(Some(number)));
        number
    }
}

/// Entries, and a way to go through them that has the name of the standard library's.
pub struct Entries {
    ends: Vec<u64>,
    entries: Mutex<Vec<u64>>,
    looked: AtomicU32,
}

pub struct Iter<'a> {
    entries: &'a Entries,
    at: usize,
}

impl Iterator for Iter<'_> {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.at += 1;
        self.entries.entries.lock().unwrap().get(self.at - 1).copied()
    }
}

impl Entries {
    pub fn iter(&self) -> Iter<'_> {
        Iter { entries: self, at: 0 }
    }

    /// Goes through what never changes.
    pub fn sum(&self) -> u64 {
        let mut sum = 0;
        for end in self.ends.iter() {
            sum += end;
        }
        sum
    }

    pub fn push(&self, entry: u64) {
        self.entries.lock().unwrap().push(entry);
    }

    /// What is behind `cfg!` is not there.
    pub fn looked(&self) -> u32 {
        if cfg!(windows) && cfg!(unix) {
            let looked = self.looked.load(Ordering::Relaxed);
            self.looked.store(looked + 1, Ordering::Relaxed);
        }
        self.looked.load(Ordering::Relaxed)
    }
}
