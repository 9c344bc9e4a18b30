// taskwait 0.4.0 (fixed in 0.4.1, pull request 1), src/lib.rs: `poll` sees a count above zero and only then registers the waker, without
// another look: the last `done` in between wakes nobody.
use futures::task::AtomicWaker;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll};

#[derive(Default)]
struct Inner {
    counter: AtomicI64,
    waker: AtomicWaker,
}

#[derive(Clone, Default)]
pub struct TaskGroup {
    inner: Arc<Inner>,
}

impl TaskGroup {
    pub fn add(&self, n: i64) {
        self.inner.counter.fetch_add(n, Ordering::Relaxed);
    }
    pub fn done(&self, n: i64) {
        let before = self.inner.counter.fetch_sub(n, Ordering::Release);
        if before - n <= 1 {
            self.inner.waker.wake();
        }
    }
    pub fn wait(&self) -> WaitFuture {
        WaitFuture { inner: self.inner.clone() }
    }
}

pub struct WaitFuture {
    inner: Arc<Inner>,
}

impl Future for WaitFuture {
    type Output = i64;
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<i64> {
        let n = self.inner.counter.load(Ordering::Acquire);
        if n <= 0 {
            self.inner.counter.store(0, Ordering::Relaxed);
            Poll::Ready(n)
        } else {
            self.inner.waker.register(cx.waker());
            Poll::Pending
        }
    }
}
