//! A type, and a trait that is implemented elsewhere.
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;

pub(crate) static OPEN: AtomicU32 = AtomicU32::new(0);

/// Each of its methods is one look, or one change.
#[derive(Default)]
pub struct Stock {
    pub(crate) left: Mutex<u32>,
}

impl Stock {
    pub fn left(&self) -> u32 {
        *self.left.lock().unwrap()
    }

    pub fn take(&self, count: u32) {
        *self.left.lock().unwrap() -= count;
    }
}

pub trait Order {
    fn order(&self, count: u32) -> bool;
    fn order_at_once(&self, count: u32) -> bool;
}

/// Counted as it is dropped.
#[derive(Default)]
pub struct Visit(u32);

impl Visit {
    pub fn number(&self) -> u32 {
        self.0
    }
}
