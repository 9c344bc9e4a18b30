//! Locks of which only the type says which they are: that of a parameter's trait.

use std::sync::{Arc, Mutex, RwLock};

pub trait Kind {
    type Lock<T>;
    fn lock<T>(value: T) -> Self::Lock<T>;
}

pub enum Threads {}

impl Kind for Threads {
    type Lock<T> = RwLock<T>;
    fn lock<T>(value: T) -> RwLock<T> {
        RwLock::new(value)
    }
}

pub struct Page<T, K: Kind = Threads> {
    page: Arc<K::Lock<T>>,
    turned: Mutex<u32>,
}

impl<T: PartialEq + Clone> Page<T> {
    pub fn new(value: T) -> Page<T> {
        Page { page: Arc::new(Threads::lock(value)), turned: Mutex::new(0) }
    }

    pub fn read(&self) -> T {
        self.page.read().unwrap().clone()
    }

    pub fn replace(&self, value: T) -> bool {
        let mut page = self.page.write().unwrap();
        if *page == value {
            return false;
        }
        *page = value;
        true
    }

    pub fn turn(&self) -> bool {
        if *self.turned.lock().unwrap() > 3 { //~
            return false;
        }
        *self.turned.lock().unwrap() += 1; //~
        true
    }
}

pub struct Sheet<T, K: Kind = Threads> {
    sheet: Arc<K::Lock<T>>,
}

impl Sheet<u32> {
    pub fn new(value: u32) -> Sheet<u32> {
        Sheet { sheet: Arc::new(Threads::lock(value)) }
    }

    pub fn read(&self) -> u32 {
        self.sheet.read().unwrap().clone()
    }

    pub fn replace(&self, value: u32) -> bool {
        if *self.sheet.read().unwrap() == value { //~
            return false;
        }
        *self.sheet.write().unwrap() = value; //~
        true
    }
}
