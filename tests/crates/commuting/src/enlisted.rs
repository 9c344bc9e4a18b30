//! Who leaves a waker, and then looks once more for what it waits for, does not wait in vain.

use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};

/// As many have to come as are counted down.
pub struct Latch {
    state: AtomicU32,
    waiters: Mutex<Vec<Waker>>,
}

impl Latch {
    pub fn count_down(&self) {
        if self.state.fetch_sub(1, Ordering::SeqCst) == 1 {
            for waker in self.waiters.lock().unwrap().drain(..) {
                waker.wake();
            }
        }
    }

    pub fn wait(&self) -> Wait<'_> {
        Wait { key: None, latch: self }
    }
}

pub struct Wait<'a> {
    key: Option<usize>,
    latch: &'a Latch,
}

impl Future for Wait<'_> {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Self { key, latch } = self.get_mut();
        if latch.state.load(Ordering::Acquire) != 0 {
            let mut waiters = latch.waiters.lock().unwrap();
            match key.and_then(|key| waiters.get_mut(key)) {
                Some(waker) => *waker = cx.waker().clone(),
                None => {
                    waiters.push(cx.waker().clone());
                    *key = Some(waiters.len() - 1);
                }
            }
            drop(waiters);
            if latch.state.load(Ordering::Acquire) != 0 {
                return Poll::Pending;
            }
        }
        Poll::Ready(())
    }
}

/// The same, but who has left a waker waits.
pub struct Hasty {
    state: AtomicU32,
    waiters: Mutex<Vec<Waker>>,
}

impl Hasty {
    pub fn count_down(&self) {
        if self.state.fetch_sub(1, Ordering::SeqCst) == 1 { //~
            for waker in self.waiters.lock().unwrap().drain(..) { //~
                waker.wake();
            }
        }
    }

    pub fn wait(&self) -> WaitHastily<'_> {
        WaitHastily { latch: self }
    }
}

pub struct WaitHastily<'a> {
    latch: &'a Hasty,
}

impl Future for WaitHastily<'_> {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if self.latch.state.load(Ordering::Acquire) != 0 { //~
            self.latch.waiters.lock().unwrap().push(cx.waker().clone()); //~
            return Poll::Pending;
        }
        Poll::Ready(())
    }
}

/// What is left is a job, which nobody does any more.
pub struct Office {
    open: AtomicU32,
    jobs: Mutex<Vec<u32>>,
}

pub struct Order {
    key: Option<usize>,
}

impl Office {
    pub fn close(&self) -> u32 {
        let mut sum = 0;
        if self.open.fetch_sub(1, Ordering::SeqCst) == 1 { //~
            for job in self.jobs.lock().unwrap().drain(..) { //~
                sum += job;
            }
        }
        sum
    }

    pub fn order(&self, order: &mut Order, job: u32) -> bool {
        let Order { key } = order;
        if self.open.load(Ordering::Acquire) != 0 { //~
            let mut jobs = self.jobs.lock().unwrap();
            match key.and_then(|key| jobs.get_mut(key)) {
                Some(known) => *known = job, //~
                None => {
                    jobs.push(job); //~
                    *key = Some(jobs.len() - 1);
                }
            }
            drop(jobs);
            if self.open.load(Ordering::Acquire) != 0 {
                return true;
            }
        }
        false
    }
}
