// sqlx-core 0.5.6: a permit of a semaphore comes first; it is given back after the connection was.
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Mutex;
use tokio::sync::Semaphore;

pub struct Pool {
    idle: Mutex<VecDeque<u64>>,
    permits: Semaphore,
    size: AtomicU32,
    max: u32,
}

impl Pool {
    pub fn new(max: u32) -> Self {
        Pool { idle: Default::default(), permits: Semaphore::new(max as usize), size: AtomicU32::new(0), max }
    }

    fn try_increment_size(&self) -> bool {
        self.size.fetch_update(Ordering::AcqRel, Ordering::Acquire, |s| (s < self.max).then_some(s + 1)).is_ok()
    }

    pub async fn acquire(&self) -> u64 {
        loop {
            let permit = self.permits.acquire().await.unwrap();
            let conn = self.idle.lock().unwrap().pop_front();
            if let Some(conn) = conn {
                permit.forget();
                return conn;
            }
            if self.try_increment_size() {
                permit.forget();
                return 0;
            }
        }
    }

    pub fn release(&self, conn: u64) {
        self.idle.lock().unwrap().push_back(conn);
        self.permits.add_permits(1);
    }
}
