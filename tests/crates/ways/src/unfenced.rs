//! What unsafe code has to itself by agreement: a static of one thread, reached through a type that does not leave that.

use std::marker::PhantomData;
use std::sync::Mutex;

static mut WAITING: Vec<u32> = Vec::new();

static SHARED: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Made on one thread, once, and nowhere else.
pub struct Own {
    here: PhantomData<*const ()>,
}

impl Own {
    fn waiting(&self) -> &mut Vec<u32> {
        let _ = self.here;
        // Nobody else is on this thread.
        unsafe { &mut *std::ptr::addr_of_mut!(WAITING) }
    }

    pub fn put(&self, job: u32) {
        if self.waiting().len() < 10 {
            self.waiting().push(job);
        }
    }

    pub fn run(&self) -> u32 {
        let all = std::mem::take(self.waiting());
        all.into_iter().sum()
    }
}

/// In a lock that is given back.
pub fn put(job: u32) {
    if SHARED.lock().unwrap().len() < 10 { //~
        SHARED.lock().unwrap().push(job); //~
    }
}
