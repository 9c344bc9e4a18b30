//! Started under the lock.
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
struct Worker { thread: JoinHandle<u64>, name: String }
#[derive(Clone, Default)]
pub struct Lazy { worker: Arc<Mutex<Option<Worker>>> }
fn start(name: &str) -> Worker {
    let name = name.to_string();
    Worker { thread: thread::spawn({ let name = name.clone(); move || name.len() as u64 }), name }
}
impl Lazy {
    pub fn wake(&self, name: &str) -> String {
        let mut worker = self.worker.lock().unwrap();
        worker.get_or_insert_with(|| start(name)).name.clone()
    }
    pub fn stop(&self) -> Option<u64> {
        let worker = self.worker.lock().unwrap().take()?;
        worker.thread.join().ok()
    }
}
