// The map is locked while the thread is started.
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
        let mut started = self.running.lock().unwrap();
        let handle = thread::spawn(move || {
            job();
            running.lock().unwrap().remove(&id);
        });
        started.insert(id, handle);
        id
    }
    pub fn running(&self) -> usize { self.running.lock().unwrap().len() }
}
