//! A lock made of a flag.
use std::cell::UnsafeCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

struct Spin {
    taken: AtomicBool,
    value: UnsafeCell<Vec<u32>>,
}
unsafe impl Sync for Spin {}

impl Spin {
    fn with(&self, f: impl FnOnce(&mut Vec<u32>)) {
        while self.taken.swap(true, Ordering::Acquire) {
            std::hint::spin_loop();
        }
        f(unsafe { &mut *self.value.get() });
        self.taken.store(false, Ordering::Release);
    }
}

fn main() {
    let spin = Arc::new(Spin { taken: AtomicBool::new(false), value: UnsafeCell::new(Vec::new()) });
    for number in 0..3 {
        let spin = spin.clone();
        thread::spawn(move || {
            spin.with(|values| {
                if !values.contains(&number) {
                    values.clear();
                }
            })
        });
    }
}
