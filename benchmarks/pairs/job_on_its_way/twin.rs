//! Workers take a job with its own id out of the queue, enter it among the running ones, and take it out again. Which worker enters first is the same to everybody: nobody looks at both.
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Mutex;
#[derive(Default)]
pub struct Jobs { next: AtomicU64, waiting: Mutex<VecDeque<u64>>, running: Mutex<HashMap<u64, String>> }
impl Jobs {
    pub fn submit(&self) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        self.waiting.lock().unwrap().push_back(id);
        id
    }
    pub async fn work(&self, worker: &str) -> Option<u64> {
        let id = self.waiting.lock().unwrap().pop_front()?;
        self.running.lock().unwrap().insert(id, worker.to_string());
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        self.running.lock().unwrap().remove(&id);
        Some(id)
    }
    pub fn cancel(&self, id: u64) -> Result<(), &'static str> {
        let mut waiting = self.waiting.lock().unwrap();
        if let Some(at) = waiting.iter().position(|w| *w == id) {
            waiting.remove(at);
            return Ok(());
        }
        Err("not waiting")
    }
}
