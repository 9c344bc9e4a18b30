//! Whether the system call is there; asked once, remembered.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::Once;

pub struct SystemCall {
    check: Once,
    available: AtomicBool,
}

impl Default for SystemCall {
    fn default() -> Self {
        SystemCall { check: Once::new(), available: AtomicBool::new(false) }
    }
}

impl SystemCall {
    pub fn is_available(&self) -> bool {
        self.check.call_once(|| self.available.store(probe(), Relaxed));
        self.available.load(Relaxed)
    }
}

fn probe() -> bool {
    std::path::Path::new("/dev/urandom").exists()
}
