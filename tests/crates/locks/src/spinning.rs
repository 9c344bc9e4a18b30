//! A lock of one holder, and one of readers and writers.

use spin::{Mutex, RwLock};

pub struct Account {
    balance: Mutex<u64>,
}

impl Account {
    pub fn new() -> Self {
        Self { balance: Mutex::new(100) }
    }

    /// The lock is released between the look and the change.
    pub fn withdraw(&self, amount: u64) -> bool {
        let enough = *self.balance.lock() >= amount; //~
        if enough {
            *self.balance.lock() -= amount; //~
        }
        enough
    }

    pub fn deposit(&self, amount: u64) {
        *self.balance.lock() += amount;
    }
}

pub struct Safe {
    balance: Mutex<u64>,
}

impl Safe {
    pub fn new() -> Self {
        Self { balance: Mutex::new(100) }
    }

    pub fn withdraw(&self, amount: u64) -> bool {
        let mut balance = self.balance.lock();
        let enough = *balance >= amount;
        if enough {
            *balance -= amount;
        }
        enough
    }

    /// Does not wait for the lock.
    pub fn try_withdraw(&self, amount: u64) -> bool {
        let Some(mut balance) = self.balance.try_lock() else { return false };
        let enough = *balance >= amount;
        if enough {
            *balance -= amount;
        }
        enough
    }

    pub fn deposit(&self, amount: u64) {
        *self.balance.lock() += amount;
    }
}

#[derive(Default)]
pub struct Size {
    width: u32,
    height: u32,
}

pub struct Torn {
    size: RwLock<Size>,
}

impl Torn {
    pub fn new() -> Self {
        Self { size: RwLock::new(Size::default()) }
    }

    /// Looks twice.
    pub fn area(&self) -> u32 {
        let width = self.size.read().width; //~
        let height = self.size.read().height; //~
        width * height
    }

    pub fn resize(&self, width: u32, height: u32) {
        let mut size = self.size.write();
        size.width = width; //~
        size.height = height; //~
    }
}

pub struct Whole {
    size: RwLock<Size>,
}

impl Whole {
    pub fn new() -> Self {
        Self { size: RwLock::new(Size::default()) }
    }

    pub fn area(&self) -> u32 {
        let size = self.size.read();
        size.width * size.height
    }

    pub fn resize(&self, width: u32, height: u32) {
        let mut size = self.size.write();
        size.width = width;
        size.height = height;
    }
}
