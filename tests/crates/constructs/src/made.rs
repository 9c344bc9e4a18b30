//! Functions that macros make: whoever can call them may do so while others do, wherever `pub` stands, and whatever stands for it.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[derive(Default)]
pub struct Peaks {
    memory: AtomicU64,
    threads: AtomicU64,
    files: AtomicU64,
    queue: AtomicU64,
}

macro_rules! repeated {
    ($($name:ident),*) => { impl Peaks {
        $(pub fn $name(&self, seen: u64) {
            if seen > self.$name.load(Relaxed) { //~
                self.$name.store(seen, Relaxed); //~
            }
        })*
    } };
}

repeated!(memory, threads);

macro_rules! as_visible_as_asked {
    ($(#[$meta:meta])* $vis:vis fn $name:ident) => { impl Peaks {
        $(#[$meta])*
        $vis fn $name(&self, seen: u64) {
            if seen > self.$name.load(Relaxed) { //~
                self.$name.store(seen, Relaxed); //~
            }
        }
    } };
}

as_visible_as_asked! {
    /// The most files that were open.
    pub fn files
}

macro_rules! with_this_body {
    ($name:ident => $this:ident $seen:ident $body:block) => { impl Peaks {
        pub fn $name(&$this, $seen: u64) $body
    } };
}

with_this_body!(queue => self seen {
    if seen > self.queue.load(Relaxed) { //~
        self.queue.store(seen, Relaxed); //~
    }
});

#[derive(Default)]
pub struct PeaksAtOnce {
    memory: AtomicU64,
    threads: AtomicU64,
    files: AtomicU64,
    worst: AtomicU64,
}

macro_rules! repeated_at_once {
    ($($name:ident),*) => { impl PeaksAtOnce {
        $(pub fn $name(&self, seen: u64) {
            self.$name.fetch_max(seen, Relaxed);
        })*
    } };
}

repeated_at_once!(memory, threads);

macro_rules! at_once_as_visible_as_asked {
    ($vis:vis fn $name:ident) => { impl PeaksAtOnce {
        $vis fn $name(&self, seen: u64) {
            self.$name.fetch_max(seen, Relaxed);
        }
    } };
}

at_once_as_visible_as_asked!(pub fn files);

/// Nobody but the crate can call what it makes, and that is called by one who has the peaks alone.
macro_rules! for_itself {
    ($(#[$meta:meta])* $name:ident) => { impl PeaksAtOnce {
        $(#[$meta])*
        fn $name(&self, seen: u64) {
            if seen > self.$name.load(Relaxed) {
                self.$name.store(seen, Relaxed);
            }
        }
    } };
}

for_itself! {
    /// The worst of all.
    worst
}

impl PeaksAtOnce {
    pub fn with_worst(seen: u64) -> PeaksAtOnce {
        let peaks = PeaksAtOnce::default();
        peaks.worst(seen);
        peaks
    }
}
