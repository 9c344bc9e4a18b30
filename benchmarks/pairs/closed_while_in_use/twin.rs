//! Who uses it counts in first; who closes it sets the flag first, and takes it back if somebody is there.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
#[derive(Default)]
pub struct Channel { in_flight: AtomicUsize, closed: AtomicBool }
impl Channel {
    pub async fn request(self: Arc<Self>) -> Result<u32, &'static str> {
        self.in_flight.fetch_add(1, Ordering::SeqCst);
        if self.closed.load(Ordering::SeqCst) { self.in_flight.fetch_sub(1, Ordering::SeqCst); return Err("closed"); }
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
        Ok(1)
    }
    pub fn close_if_idle(&self) -> bool {
        self.closed.store(true, Ordering::SeqCst);
        if self.in_flight.load(Ordering::SeqCst) == 0 { return true; }
        self.closed.store(false, Ordering::SeqCst);
        false
    }
}
