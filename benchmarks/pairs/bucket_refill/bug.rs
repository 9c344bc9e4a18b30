// A refill thread that the constructor starts, beside the methods of the handle.
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone)]
pub struct Bucket { tokens: Arc<AtomicU32>, size: u32 }

impl Bucket {
    pub fn start(size: u32, every: Duration) -> Bucket {
        let bucket = Bucket { tokens: Arc::new(AtomicU32::new(size)), size };
        let filled = bucket.clone();
        std::thread::Builder::new().name("refill".into()).spawn(move || loop {
            std::thread::sleep(every);
            filled.refill();
        }).expect("no thread");
        bucket
    }
    fn refill(&self) {
        let tokens = self.tokens.load(SeqCst); //~
        if tokens < self.size {
            self.tokens.store(tokens + 1, SeqCst); //~
        }
    }
    pub fn take(&self) -> bool {
        let mut tokens = self.tokens.load(SeqCst);
        while tokens > 0 {
            match self.tokens.compare_exchange_weak(tokens, tokens - 1, SeqCst, SeqCst) {
                Ok(_) => return true,
                Err(now) => tokens = now,
            }
        }
        false
    }
}
