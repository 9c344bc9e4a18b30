// sqlx-core 0.5.5 (fixed in 0.5.6, issue 1293), src/pool/inner.rs: `acquire` finds no idle connection and no room for one, and only then
// enters itself as a waiter, and does not look again; what is released in between wakes nobody, and the waiter waits until it times out.
use std::collections::VecDeque;
use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Waker};

struct Waiter {
    woken: AtomicBool,
    waker: Waker,
}

pub struct Pool {
    idle: Mutex<VecDeque<u64>>,
    waiters: Mutex<VecDeque<Weak<Waiter>>>,
    size: AtomicU32,
    max: u32,
}

impl Pool {
    pub fn new(max: u32) -> Self {
        Pool { idle: Default::default(), waiters: Default::default(), size: AtomicU32::new(0), max }
    }

    fn pop_idle(&self) -> Option<u64> {
        self.idle.lock().unwrap().pop_front()
    }

    fn try_increment_size(&self) -> bool {
        self.size.fetch_update(Ordering::AcqRel, Ordering::Acquire, |s| (s < self.max).then_some(s + 1)).is_ok()
    }

    fn enter(&self, cx: &mut Context<'_>) -> Arc<Waiter> {
        let waiter = Arc::new(Waiter { woken: AtomicBool::new(false), waker: cx.waker().clone() });
        self.waiters.lock().unwrap().push_back(Arc::downgrade(&waiter));
        waiter
    }

    pub async fn acquire(&self) -> u64 {
        loop {
            if let Some(conn) = self.pop_idle() {
                return conn;
            }
            if self.try_increment_size() {
                return 0;
            }
            let mut waiter: Option<Arc<Waiter>> = None;
            poll_fn(|cx| {
                let waiter = waiter.get_or_insert_with(|| self.enter(cx));
                if waiter.woken.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
        }
    }

    pub fn release(&self, conn: u64) {
        self.idle.lock().unwrap().push_back(conn);
        let next = self.waiters.lock().unwrap().pop_front();
        if let Some(waiter) = next.and_then(|w| w.upgrade()) {
            waiter.woken.store(true, Ordering::Release);
            waiter.waker.wake_by_ref();
        }
    }
}
