//! What a function returns as something that has a trait: callers poll it, and drop it, though they cannot name its type.

use std::any::Any;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// Ships that wait for a berth.
#[derive(Clone, Default)]
pub struct Harbour {
    berths: Arc<Mutex<Vec<u32>>>,
    waiting: Arc<Mutex<VecDeque<Waker>>>,
}

impl Harbour {
    pub fn leave(&self, berth: u32) {
        self.berths.lock().unwrap().push(berth); //~
        if let Some(ship) = self.waiting.lock().unwrap().pop_front() { //~
            ship.wake();
        }
    }

    pub fn enter(&self) -> impl Future<Output = u32> + use<> {
        Entry { harbour: self.clone() }
    }

    pub fn enter_with_care(&self) -> impl Future<Output = u32> + use<> {
        CarefulEntry { harbour: self.clone() }
    }
}

struct Entry {
    harbour: Harbour,
}

impl Future for Entry {
    type Output = u32;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u32> {
        if let Some(berth) = self.harbour.berths.lock().unwrap().pop() { //~
            return Poll::Ready(berth);
        }
        self.harbour.waiting.lock().unwrap().push_back(cx.waker().clone()); //~
        Poll::Pending
    }
}

struct CarefulEntry {
    harbour: Harbour,
}

impl Future for CarefulEntry {
    type Output = u32;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u32> {
        let mut berths = self.harbour.berths.lock().unwrap();
        match berths.pop() {
            Some(berth) => Poll::Ready(berth),
            None => {
                self.harbour.waiting.lock().unwrap().push_back(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

/// Cranes in use.
#[derive(Clone, Default)]
pub struct Cranes {
    used: Arc<Mutex<u32>>,
}

impl Cranes {
    pub fn take(&self) -> Box<dyn Any + Send> {
        *self.used.lock().unwrap() += 1; //~
        Box::new(Crane { cranes: self.clone() })
    }

    pub fn used(&self) -> u32 {
        *self.used.lock().unwrap()
    }
}

struct Crane {
    cranes: Cranes,
}

impl Drop for Crane {
    fn drop(&mut self) {
        let used = *self.cranes.used.lock().unwrap(); //~
        *self.cranes.used.lock().unwrap() = used - 1; //~
    }
}
