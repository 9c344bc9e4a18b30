// diem/diem (libra-channel), PR #4479: Sender::drop wakes the receiver while its Arc is not dropped yet, and recv() takes Arc::strong_count for the number of live senders; a receiver that wakes in between still counts a sender, goes to sleep again and never hears of the close.
use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::sync::{Arc, Condvar, Mutex};

struct PerKeyQueue<K, M> {
    per_key_queue: HashMap<K, VecDeque<M>>,
    round_robin: VecDeque<K>,
    max_queue_size: usize,
}

impl<K: Eq + Hash + Clone, M> PerKeyQueue<K, M> {
    fn push(&mut self, key: K, message: M) {
        let queue = self.per_key_queue.entry(key.clone()).or_default();
        if queue.is_empty() {
            self.round_robin.push_back(key);
        }
        // LIFO drop policy: the oldest message of the key makes room.
        if queue.len() == self.max_queue_size {
            queue.pop_front();
        }
        queue.push_back(message);
    }

    fn pop(&mut self) -> Option<M> {
        let key = self.round_robin.pop_front()?;
        let queue = self.per_key_queue.get_mut(&key)?;
        let message = queue.pop_front();
        if queue.is_empty() {
            self.per_key_queue.remove(&key);
        } else {
            self.round_robin.push_back(key);
        }
        message
    }
}

struct Shared<K, M> {
    queue: Mutex<PerKeyQueue<K, M>>,
    ready: Condvar,
}

pub struct Sender<K: Eq + Hash + Clone, M> {
    shared: Arc<Shared<K, M>>,
}

impl<K: Eq + Hash + Clone, M> Sender<K, M> {
    pub fn push(&self, key: K, message: M) {
        self.shared.queue.lock().unwrap().push(key, message);
        self.shared.ready.notify_one();
    }
}

impl<K: Eq + Hash + Clone, M> Clone for Sender<K, M> {
    fn clone(&self) -> Self {
        Sender { shared: Arc::clone(&self.shared) }
    }
}

impl<K: Eq + Hash + Clone, M> Drop for Sender<K, M> {
    fn drop(&mut self) {
        let _queue = self.shared.queue.lock().unwrap();
        self.shared.ready.notify_one(); //~
    }
}

pub struct Receiver<K, M> {
    shared: Arc<Shared<K, M>>,
}

impl<K: Eq + Hash + Clone, M> Receiver<K, M> {
    /// The next message; None once every sender is gone and the queues are empty.
    pub fn recv(&mut self) -> Option<M> {
        let mut queue = self.shared.queue.lock().unwrap();
        loop {
            if let Some(message) = queue.pop() {
                return Some(message);
            }
            if Arc::strong_count(&self.shared) == 1 { //~
                return None;
            }
            queue = self.shared.ready.wait(queue).unwrap(); //~
        }
    }
}

pub fn new<K: Eq + Hash + Clone, M>(max_queue_size: usize) -> (Sender<K, M>, Receiver<K, M>) {
    let queue = PerKeyQueue { per_key_queue: HashMap::new(), round_robin: VecDeque::new(), max_queue_size };
    let shared = Arc::new(Shared { queue: Mutex::new(queue), ready: Condvar::new() });
    (Sender { shared: Arc::clone(&shared) }, Receiver { shared })
}
