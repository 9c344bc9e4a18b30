//! A lock of a crate's own: what is in it is had one after the other, as `unsafe` says.
use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Default)]
pub struct Head {
    at: usize,
    left: usize,
}

pub struct HeadLock {
    locked: AtomicBool,
    head: UnsafeCell<Head>,
}

unsafe impl Sync for HeadLock {}

impl HeadLock {
    fn lock(&self) -> HeadGuard<'_> {
        while self.locked.compare_exchange_weak(false, true, Ordering::Acquire, Ordering::Relaxed).is_err() {
            std::hint::spin_loop();
        }
        HeadGuard { of: self }
    }
}

struct HeadGuard<'a> {
    of: &'a HeadLock,
}

impl Deref for HeadGuard<'_> {
    type Target = Head;

    fn deref(&self) -> &Head {
        unsafe { &*self.of.head.get() }
    }
}

impl DerefMut for HeadGuard<'_> {
    fn deref_mut(&mut self) -> &mut Head {
        unsafe { &mut *self.of.head.get() }
    }
}

impl Drop for HeadGuard<'_> {
    fn drop(&mut self) {
        self.of.locked.store(false, Ordering::Release);
    }
}

pub struct Ring {
    head: HeadLock,
    known: Mutex<Head>,
}

impl Ring {
    pub fn take(&self) -> Option<usize> {
        let mut head = self.head.lock();
        if head.left == 0 {
            return None;
        }
        head.left -= 1;
        head.at += 1;
        Some(head.at)
    }

    pub fn take_known(&self) -> Option<usize> {
        if self.known.lock().unwrap().left == 0 { //~
            return None;
        }
        let mut known = self.known.lock().unwrap();
        known.left -= 1; //~
        known.at += 1;
        Some(known.at)
    }
}
