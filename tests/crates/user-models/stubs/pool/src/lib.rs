//! A library that nobody has a model of.
use std::ops::{Deref, DerefMut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Lock<T>(Mutex<T>);

pub struct Guard<'l, T>(std::sync::MutexGuard<'l, T>);

impl<T> Lock<T> {
    pub fn new(value: T) -> Self {
        Lock(Mutex::new(value))
    }

    pub async fn lock(&self) -> Guard<'_, T> {
        Guard(self.0.lock().unwrap())
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

#[derive(Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub fn bump(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

pub struct Pool;

impl Pool {
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        std::thread::spawn(job);
    }
}
