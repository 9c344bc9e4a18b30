//! Who takes the last one off knows.
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::Arc;
#[derive(Debug)]
pub enum Signal { AllDone }
struct Shared { running: AtomicU32, done: Sender<Signal> }
pub struct Job { shared: Arc<Shared> }
pub struct Jobs { shared: Arc<Shared> }
impl Jobs {
    pub fn new() -> (Jobs, Receiver<Signal>) {
        let (done, is_done) = channel();
        (Jobs { shared: Arc::new(Shared { running: AtomicU32::new(0), done }) }, is_done)
    }
    pub fn start(&self) -> Job {
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        Job { shared: self.shared.clone() }
    }
}
impl Drop for Job {
    fn drop(&mut self) {
        if self.shared.running.fetch_sub(1, Ordering::SeqCst) == 1 {
            let _ = self.shared.done.send(Signal::AllDone);
        }
    }
}
