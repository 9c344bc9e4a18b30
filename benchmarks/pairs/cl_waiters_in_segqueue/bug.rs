// sqlx-core 0.5.5 (issue 1293), nearest to the crate: the waiters are in a crossbeam SegQueue, the idle ones in an ArrayQueue, released by a task that
// Drop starts. Only a note ("nothing says that they belong together"); with Mutex<VecDeque> for both (sqlx_pool.rs) it is denied.
use std::future::poll_fn;
use std::sync::atomic::*;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};
pub trait Database: 'static { type Conn: Send + 'static; }
struct Waiter { woken: AtomicBool, waker: Waker }
pub(crate) struct SharedPool<DB: Database> { idle: crossbeam_queue::ArrayQueue<DB::Conn>, waiters: crossbeam_queue::SegQueue<Weak<Waiter>>, size: AtomicU32, max: u32 }
pub struct Pool<DB: Database>(Arc<SharedPool<DB>>);
pub struct PoolConnection<DB: Database> { live: Option<DB::Conn>, pool: Arc<SharedPool<DB>> }
impl<DB: Database> Drop for PoolConnection<DB> {
    fn drop(&mut self) {
        if let Some(live) = self.live.take() {
            let pool = self.pool.clone();
            tokio::spawn(async move {
                tokio::task::yield_now().await;
                pool.release(live);
            });
        }
    }
}
impl<DB: Database> SharedPool<DB> {
    fn pop_idle(&self) -> Option<DB::Conn> { self.idle.pop() }
    fn room(&self) -> bool { self.size.fetch_update(Ordering::AcqRel, Ordering::Acquire, |s| (s < self.max).then_some(s + 1)).is_ok() }
    fn enter(&self, cx: &mut Context<'_>) -> Arc<Waiter> {
        let waiter = Arc::new(Waiter { woken: AtomicBool::new(false), waker: cx.waker().clone() });
        self.waiters.push(Arc::downgrade(&waiter));
        waiter
    }
    async fn acquire(&self, open: impl Fn() -> DB::Conn) -> DB::Conn {
        loop {
            if let Some(conn) = self.pop_idle() { return conn; }
            if self.room() { return open(); }
            let mut waiter: Option<Arc<Waiter>> = None;
            poll_fn(|cx| {
                let waiter = waiter.get_or_insert_with(|| self.enter(cx));
                if waiter.woken.load(Ordering::Acquire) { Poll::Ready(()) } else { Poll::Pending }
            }).await;
        }
    }
    fn release(&self, conn: DB::Conn) {
        let _ = self.idle.push(conn);
        let next = self.waiters.pop();
        if let Some(waiter) = next.and_then(|w| w.upgrade()) {
            waiter.woken.store(true, Ordering::Release);
            waiter.waker.wake_by_ref();
        }
    }
}
impl<DB: Database> Pool<DB> {
    pub fn new(max: u32) -> Self { Pool(Arc::new(SharedPool { idle: crossbeam_queue::ArrayQueue::new(max as usize), waiters: crossbeam_queue::SegQueue::new(), size: AtomicU32::new(0), max })) }
    pub async fn acquire(&self, open: impl Fn() -> DB::Conn) -> PoolConnection<DB> {
        let live = self.0.acquire(open).await;
        PoolConnection { live: Some(live), pool: self.0.clone() }
    }
}
