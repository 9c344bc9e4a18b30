//! Whether the system call is there; asked once, remembered.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[derive(Default)]
pub struct SystemCall {
    checked: AtomicBool,
    available: AtomicBool,
}

impl SystemCall {
    pub fn is_available(&self) -> bool {
        if self.checked.load(Relaxed) {
            return self.available.load(Relaxed);
        }
        let answer = probe();
        self.checked.store(true, Relaxed); //~ RACE
        self.available.store(answer, Relaxed); //~ RACE
        answer
    }
}

fn probe() -> bool {
    std::path::Path::new("/dev/urandom").exists()
}
