// After afire 3.0.0-alpha.3, lib/internal/thread_pool.rs: a thread is started that takes itself out of the map when it ends, and put into the map
// afterwards: if it ends before, its entry stays for ever.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, JoinHandle};

#[derive(Default)]
pub struct Jobs { next: AtomicU64, running: Arc<Mutex<HashMap<u64, JoinHandle<()>>>> }

impl Jobs {
    pub fn new() -> Self { Self::default() }
    pub fn start(&self, job: impl FnOnce() + Send + 'static) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let running = self.running.clone();
        let handle = thread::spawn(move || {
            job();
            running.lock().unwrap().remove(&id); //~
        });
        self.running.lock().unwrap().insert(id, handle); //~
        id
    }
    pub fn running(&self) -> usize { self.running.lock().unwrap().len() }
}
