// barrage 0.2.3, src/lib.rs (`try_recv`): the queue is seen empty, then the number of senders is read; one that sends and goes away in between leaves
// an item, and the receiver is told that there will be none.
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

struct Shared {
    queue: Mutex<VecDeque<u32>>,
    senders: AtomicUsize,
}

pub struct Sender(Arc<Shared>);
pub struct Receiver(Arc<Shared>);

pub fn channel() -> (Sender, Receiver) {
    let shared = Arc::new(Shared { queue: Mutex::new(VecDeque::new()), senders: AtomicUsize::new(1) });
    (Sender(shared.clone()), Receiver(shared))
}

impl Sender {
    pub fn send(&self, item: u32) {
        self.0.queue.lock().unwrap().push_back(item);
    }
}

impl Clone for Sender {
    fn clone(&self) -> Self {
        self.0.senders.fetch_add(1, Ordering::AcqRel);
        Sender(self.0.clone())
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        self.0.senders.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Receiver {
    pub fn try_recv(&self) -> Result<Option<u32>, ()> {
        let item = self.0.queue.lock().unwrap().pop_front(); //~
        match item {
            Some(item) => Ok(Some(item)),
            None if self.0.senders.load(Ordering::Acquire) > 0 => Ok(None), //~
            None => Err(()),
        }
    }
}
