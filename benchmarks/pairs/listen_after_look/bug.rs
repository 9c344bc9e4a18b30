// event_listener: who starts to listen after the look may have missed the event.
use event_listener::Event;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::Mutex;

#[derive(Default)]
pub struct Gate { open: AtomicBool, opened: Event, passed: Mutex<u64> }

impl Gate {
    pub fn open(&self) { self.open.store(true, SeqCst); self.opened.notify(usize::MAX); }
    pub async fn pass(&self) {
        if !self.open.load(SeqCst) { //~
            self.opened.listen().await; //~
        }
        *self.passed.lock().unwrap() += 1;
    }
    pub fn passed(&self) -> u64 { *self.passed.lock().unwrap() }
}
