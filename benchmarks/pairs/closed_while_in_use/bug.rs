//! Who uses the channel looks at the flag and then counts in; who closes it looks at the count and then sets the flag: it is closed in the middle of a request.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::Arc;
#[derive(Default)]
pub struct Channel { in_flight: AtomicUsize, closed: AtomicBool }
impl Channel {
    pub async fn request(self: Arc<Self>) -> Result<u32, &'static str> {
        if self.closed.load(Ordering::SeqCst) { return Err("closed"); } //~
        self.in_flight.fetch_add(1, Ordering::SeqCst); //~
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
        self.in_flight.fetch_sub(1, Ordering::SeqCst);
        Ok(1)
    }
    pub fn close_if_idle(&self) -> bool {
        if self.in_flight.load(Ordering::SeqCst) == 0 { self.closed.store(true, Ordering::SeqCst); return true; } //~
        false
    }
}
