//! What is in a box is called, and polled, whether the program says so or the library.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

pub struct Pool {
    number: Arc<Mutex<u32>>,
}

struct Next {
    number: Arc<Mutex<u32>>,
}

impl Iterator for Next {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let number = *self.number.lock().unwrap(); //~
        *self.number.lock().unwrap() = number + 1; //~
        Some(number)
    }
}

/// Calls it by the method that the box has.
pub struct Numbers(Box<dyn Iterator<Item = u32> + Send>);

impl Numbers {
    pub fn draw(&mut self) -> Option<u32> {
        self.0.next()
    }
}

pub struct Slot {
    free: Arc<Mutex<u32>>,
}

struct Taking {
    free: Arc<Mutex<u32>>,
}

impl Future for Taking {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<bool> {
        let free = *self.free.lock().unwrap(); //~
        if free > 0 {
            *self.free.lock().unwrap() = free - 1; //~
        }
        Poll::Ready(free > 0)
    }
}

/// Polls one that it has written itself.
pub struct Taken(Pin<Box<dyn Future<Output = bool> + Send>>);

impl Future for Taken {
    type Output = bool;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<bool> {
        self.0.as_mut().poll(context)
    }
}

struct AtOnce {
    free: Arc<Mutex<u32>>,
}

impl Future for AtOnce {
    type Output = bool;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<bool> {
        let mut free = self.free.lock().unwrap();
        let some = *free > 0;
        if some {
            *free -= 1;
        }
        Poll::Ready(some)
    }
}

impl Pool {
    pub fn numbers(&self) -> Numbers {
        Numbers(Box::new(Next { number: self.number.clone() }))
    }
}

impl Slot {
    pub fn take(&self) -> Taken {
        Taken(Box::pin(Taking { free: self.free.clone() }))
    }
}

pub struct Other {
    free: Arc<Mutex<u32>>,
}

impl Other {
    pub fn take(&self) -> Taken {
        Taken(Box::pin(AtOnce { free: self.free.clone() }))
    }
}
