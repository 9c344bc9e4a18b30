//! A task that ends at once takes itself out of the table before it is put in: it stays there for ever.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::task::JoinHandle;
#[derive(Clone, Default)]
pub struct Tasks { running: Arc<Mutex<HashMap<u64, JoinHandle<()>>>>, next: Arc<AtomicU64> }
impl Tasks {
    pub fn start(&self, text: String) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let table = self.running.clone();
        let task = tokio::spawn(async move {
            println!("{text}");
            table.lock().unwrap().remove(&id); //~
        });
        self.running.lock().unwrap().insert(id, task); //~
        id
    }
    pub fn cancel(&self, id: u64) -> bool {
        self.running.lock().unwrap().remove(&id).map(|task| task.abort()).is_some()
    }
    pub fn count(&self) -> usize { self.running.lock().unwrap().len() }
}
