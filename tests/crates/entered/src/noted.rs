//! A thread that takes itself out of a list when it ends, and is put into the list by whoever has started it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

/// Work that takes no time has ended before it is noted, and then it is noted for ever.
#[derive(Default)]
pub struct NotedLate {
    next: AtomicU64,
    running: Arc<Mutex<HashMap<u64, JoinHandle<()>>>>,
}

impl NotedLate {
    pub fn start(&self, work: impl FnOnce() + Send + 'static) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let running = self.running.clone();
        let handle = thread::spawn(move || {
            work();
            running.lock().unwrap().remove(&number); //~
        });
        self.running.lock().unwrap().insert(number, handle); //~
    }

    pub fn count(&self) -> usize {
        self.running.lock().unwrap().len()
    }
}

/// The lock is kept until it is noted.
#[derive(Default)]
pub struct NotedUnderTheLock {
    next: AtomicU64,
    running: Arc<Mutex<HashMap<u64, JoinHandle<()>>>>,
}

impl NotedUnderTheLock {
    pub fn start(&self, work: impl FnOnce() + Send + 'static) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let running = self.running.clone();
        let mut noted = self.running.lock().unwrap();
        let handle = thread::spawn(move || {
            work();
            running.lock().unwrap().remove(&number);
        });
        noted.insert(number, handle);
    }

    pub fn count(&self) -> usize {
        self.running.lock().unwrap().len()
    }
}

/// What has ended by the time that it is noted is taken out again.
#[derive(Default)]
pub struct NotedAndLookedAfter {
    next: AtomicU64,
    running: Arc<Mutex<HashMap<u64, Arc<JoinHandle<()>>>>>,
}

impl NotedAndLookedAfter {
    pub fn start(&self, work: impl FnOnce() + Send + 'static) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let running = self.running.clone();
        let handle = Arc::new(thread::spawn(move || {
            work();
            running.lock().unwrap().remove(&number);
        }));
        self.running.lock().unwrap().insert(number, handle.clone());
        if handle.is_finished() {
            self.running.lock().unwrap().remove(&number);
        }
    }

    pub fn count(&self) -> usize {
        self.running.lock().unwrap().len()
    }
}

/// As the first, where what takes out is a function of its own.
#[derive(Clone, Default)]
pub struct NotedLateByFunction {
    next: Arc<AtomicU64>,
    running: Arc<Mutex<HashMap<u64, JoinHandle<()>>>>,
}

impl NotedLateByFunction {
    pub fn start(&self, work: impl FnOnce() + Send + 'static) {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let all = self.clone();
        let handle = thread::spawn(move || {
            work();
            all.forget(number);
        });
        self.running.lock().unwrap().insert(number, handle); //~
    }

    fn forget(&self, number: u64) {
        self.running.lock().unwrap().remove(&number); //~
    }

    pub fn count(&self) -> usize {
        self.running.lock().unwrap().len()
    }
}
