//! What callers get with what a function returns, and run themselves: closures, futures, and streams, item by item.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use futures::future::BoxFuture;
use futures::{FutureExt, Stream, StreamExt, stream};

/// Steps that were walked.
#[derive(Clone, Default)]
pub struct Pedometer {
    steps: Arc<Mutex<u64>>,
    days: Arc<AtomicU64>,
}

impl Pedometer {
    pub fn stepper(&self) -> impl Fn(u64) -> u64 + Send + Sync + use<> {
        let steps = self.steps.clone();
        move |by| {
            let walked = *steps.lock().unwrap(); //~
            *steps.lock().unwrap() = walked + by; //~
            walked
        }
    }

    pub fn stepper_at_once(&self) -> impl Fn(u64) -> u64 + Send + Sync + use<> {
        let steps = self.steps.clone();
        move |by| {
            let mut steps = steps.lock().unwrap();
            *steps += by;
            *steps
        }
    }

    pub fn boxed(&self) -> Box<dyn Fn(u64) + Send + Sync> {
        let steps = self.steps.clone();
        Box::new(move |by| {
            let walked = *steps.lock().unwrap(); //~
            *steps.lock().unwrap() = walked + by; //~
        })
    }

    /// Whoever has it calls it once, and others have others.
    pub fn finisher(&self) -> Option<Box<dyn FnOnce() + Send>> {
        let days = self.days.clone();
        Some(Box::new(move || {
            let day = days.load(Ordering::SeqCst); //~
            days.store(day + 1, Ordering::SeqCst); //~
        }))
    }

    pub fn later(&self, by: u64) -> BoxFuture<'_, ()> {
        async move {
            let walked = *self.steps.lock().unwrap(); //~
            *self.steps.lock().unwrap() = walked + by; //~
        }
        .boxed()
    }

    pub fn later_if_any(&self, by: u64) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        if by == 0 {
            return Box::pin(std::future::ready(()));
        }
        Box::pin(async move {
            let walked = *self.steps.lock().unwrap(); //~
            *self.steps.lock().unwrap() = walked + by; //~
        })
    }

    pub fn after_a_rest(&self) -> impl Future<Output = ()> + use<> {
        let steps = self.steps.clone();
        tokio::time::sleep(std::time::Duration::from_millis(1)).then(move |()| async move {
            let walked = *steps.lock().unwrap(); //~
            *steps.lock().unwrap() = walked + 1; //~
        })
    }

    /// Each item is one step.
    pub fn walk(&self) -> impl Stream<Item = u64> + use<> {
        stream::unfold(self.steps.clone(), |steps| async move {
            let walked = *steps.lock().unwrap(); //~
            *steps.lock().unwrap() = walked + 1; //~
            Some((walked, steps))
        })
    }

    pub fn walk_at_once(&self) -> impl Stream<Item = u64> + use<> {
        stream::unfold(self.steps.clone(), |steps| async move {
            let walked = {
                let mut walked = steps.lock().unwrap();
                *walked += 1;
                *walked
            };
            Some((walked, steps))
        })
    }

    pub async fn hike(&self) -> impl Stream<Item = u64> + '_ {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        stream::iter(0..10).then(move |by| async move {
            let walked = *self.steps.lock().unwrap(); //~
            *self.steps.lock().unwrap() = walked + by; //~
            walked
        })
    }
}

/// Each caller counts for itself: what it has is its own.
pub fn counter() -> impl FnMut() -> u64 + Send {
    let count = Arc::new(Mutex::new(0));
    move || {
        let known = *count.lock().unwrap();
        *count.lock().unwrap() = known + 1;
        known
    }
}

/// Of this one nobody else may have one.
pub fn lone_counter() -> Box<dyn Fn() -> u64 + Send> {
    let count = Arc::new(Mutex::new(0));
    Box::new(move || {
        let known = *count.lock().unwrap();
        *count.lock().unwrap() = known + 1;
        known
    })
}
