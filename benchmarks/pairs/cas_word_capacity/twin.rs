// Room is reserved before the item is queued, and given back after it was taken out.
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
        let room = |len: usize| (len < self.capacity).then_some(len + 1);
        if self.len.fetch_update(Ordering::AcqRel, Ordering::Acquire, room).is_err() {
            return Err(item);
        }
        self.queue.lock().unwrap().push_back(item);
        Ok(())
    }

    pub fn try_recv(&self) -> Option<u32> {
        let item = self.queue.lock().unwrap().pop_front()?;
        self.len.fetch_sub(1, Ordering::AcqRel);
        Some(item)
    }
}
