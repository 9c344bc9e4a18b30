// sqlx-core 0.5.6: a permit of a semaphore comes first, and is given back after the connection was.
use crossbeam_queue::ArrayQueue;
use std::sync::atomic::*;
use std::sync::Arc;
use tokio::sync::Semaphore;

pub trait Database: 'static {
    type Conn: Send + 'static;
}

pub(crate) struct SharedPool<DB: Database> {
    idle: ArrayQueue<DB::Conn>,
    permits: Semaphore,
    size: AtomicU32,
    max: u32,
}

pub struct Pool<DB: Database>(Arc<SharedPool<DB>>);

pub struct PoolConnection<DB: Database> {
    live: Option<DB::Conn>,
    pool: Arc<SharedPool<DB>>,
}

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
    fn room(&self) -> bool {
        self.size.fetch_update(Ordering::AcqRel, Ordering::Acquire, |s| (s < self.max).then_some(s + 1)).is_ok()
    }

    async fn acquire(&self, open: impl Fn() -> DB::Conn) -> DB::Conn {
        loop {
            let permit = self.permits.acquire().await.unwrap();
            if let Some(conn) = self.idle.pop() {
                permit.forget();
                return conn;
            }
            if self.room() {
                permit.forget();
                return open();
            }
        }
    }

    fn release(&self, conn: DB::Conn) {
        let _ = self.idle.push(conn);
        self.permits.add_permits(1);
    }
}

impl<DB: Database> Pool<DB> {
    pub fn new(max: u32) -> Self {
        let permits = Semaphore::new(max as usize);
        Pool(Arc::new(SharedPool { idle: ArrayQueue::new(max as usize), permits, size: AtomicU32::new(0), max }))
    }

    pub async fn acquire(&self, open: impl Fn() -> DB::Conn) -> PoolConnection<DB> {
        let live = self.0.acquire(open).await;
        PoolConnection { live: Some(live), pool: self.0.clone() }
    }
}
