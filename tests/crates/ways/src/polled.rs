//! Closures that futures are made of: what they do before they answer that they have to wait, others go by.

use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

struct Lift {
    riders: AtomicUsize,
    caller: Mutex<Option<Waker>>,
}

pub struct Rider(Arc<Lift>);

pub struct Operator(Arc<Lift>);

pub fn lift() -> (Rider, Operator) {
    let lift = Arc::new(Lift { riders: AtomicUsize::new(1), caller: Mutex::new(None) });
    (Rider(lift.clone()), Operator(lift))
}

impl Drop for Rider {
    fn drop(&mut self) {
        if self.0.riders.fetch_sub(1, Ordering::SeqCst) == 1 { //~
            if let Some(caller) = self.0.caller.lock().unwrap().take() { //~
                caller.wake();
            }
        }
    }
}

impl Operator {
    /// Who leaves between the look and the waker wakes nobody.
    pub async fn empty(&mut self) {
        poll_fn(|cx| {
            if self.0.riders.load(Ordering::SeqCst) == 0 { //~
                return Poll::Ready(());
            }
            *self.0.caller.lock().unwrap() = Some(cx.waker().clone()); //~
            Poll::Pending
        })
        .await;
    }

    /// The same, of a future that callers await.
    pub fn emptied(&mut self) -> impl Future<Output = ()> + '_ {
        poll_fn(|cx| {
            if self.0.riders.load(Ordering::SeqCst) == 0 { //~
                return Poll::Ready(());
            }
            *self.0.caller.lock().unwrap() = Some(cx.waker().clone()); //~
            Poll::Pending
        })
    }

    /// It looks again when the waker is there.
    pub fn emptied_at_last(&mut self) -> impl Future<Output = ()> + '_ {
        poll_fn(|cx| {
            if self.0.riders.load(Ordering::SeqCst) == 0 {
                return Poll::Ready(());
            }
            *self.0.caller.lock().unwrap() = Some(cx.waker().clone());
            if self.0.riders.load(Ordering::SeqCst) == 0 {
                return Poll::Ready(());
            }
            Poll::Pending
        })
    }
}
