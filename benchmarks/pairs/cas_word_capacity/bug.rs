// barrage 0.2.3, src/lib.rs: the number of items is compared with the capacity, the item queued, then counted; and it is taken down by a
// `compare_exchange` whose failure nobody looks at: it stays too high for ever.
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Mutex;

pub struct Channel {
    queue: Mutex<VecDeque<u32>>,
    len: AtomicUsize,
    capacity: usize,
}

impl Channel {
    pub fn new(capacity: usize) -> Self {
        Channel { queue: Mutex::new(VecDeque::new()), len: AtomicUsize::new(0), capacity }
    }

    pub fn try_send(&self, item: u32) -> Result<(), u32> {
        if self.len.load(Ordering::Acquire) == self.capacity { //~
            return Err(item);
        }
        self.queue.lock().unwrap().push_back(item);
        self.len.fetch_add(1, Ordering::Release); //~
        Ok(())
    }

    pub fn try_recv(&self) -> Option<u32> {
        let item = self.queue.lock().unwrap().pop_front()?;
        let old = self.len.load(Ordering::SeqCst); //~
        let _ = self.len.compare_exchange(old, old - 1, Ordering::Release, Ordering::Relaxed); //~
        Some(item)
    }
}
