//! Who is at work only while a flag allows it, and who sets the flag only while nobody is at work.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whoever comes looks at the sign, and only then counts in; who closes looks at the count, and only then turns the sign.
#[derive(Default)]
pub struct Shop {
    inside: AtomicUsize,
    shut: AtomicBool,
}

impl Shop {
    pub fn buy(&self, pay: impl FnOnce()) -> bool {
        if self.shut.load(Ordering::SeqCst) { //~
            return false;
        }
        self.inside.fetch_add(1, Ordering::SeqCst); //~
        pay();
        self.inside.fetch_sub(1, Ordering::SeqCst);
        true
    }

    pub fn close_if_empty(&self) -> bool {
        if self.inside.load(Ordering::SeqCst) > 0 { //~
            return false;
        }
        self.shut.store(true, Ordering::SeqCst); //~
        true
    }
}

/// Whoever comes counts in, and then looks at the sign; who closes turns the sign, and then looks at the count.
#[derive(Default)]
pub struct Museum {
    inside: AtomicUsize,
    shut: AtomicBool,
}

impl Museum {
    pub fn visit(&self, look: impl FnOnce()) -> bool {
        self.inside.fetch_add(1, Ordering::SeqCst);
        let open = !self.shut.load(Ordering::SeqCst);
        if open {
            look();
        }
        self.inside.fetch_sub(1, Ordering::SeqCst);
        open
    }

    pub fn close_if_empty(&self) -> bool {
        self.shut.store(true, Ordering::SeqCst);
        if self.inside.load(Ordering::SeqCst) == 0 {
            return true;
        }
        self.shut.store(false, Ordering::SeqCst);
        false
    }
}

/// What is counted is never taken back: one more or less makes no difference.
#[derive(Default)]
pub struct Fuse {
    sparks: AtomicUsize,
    blown: AtomicBool,
}

impl Fuse {
    pub fn spark(&self) {
        if !self.blown.load(Ordering::SeqCst) {
            self.sparks.fetch_add(1, Ordering::SeqCst);
        }
    }

    pub fn check(&self) {
        if self.sparks.load(Ordering::SeqCst) > 5 {
            self.blown.store(true, Ordering::SeqCst);
        }
    }
}
