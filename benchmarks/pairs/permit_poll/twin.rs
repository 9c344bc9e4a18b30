//! It does, under the lock.
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
struct Tokens { left: u32, waiting: Vec<Waker> }
#[derive(Clone)]
pub struct Bucket(Arc<Mutex<Tokens>>);
pub struct Take { bucket: Bucket, count: u32 }
impl Bucket {
    pub fn new(left: u32) -> Self { Bucket(Arc::new(Mutex::new(Tokens { left, waiting: vec![] }))) }
    pub fn take(&self, count: u32) -> Take { Take { bucket: self.clone(), count } }
    pub fn fill(&self, by: u32) {
        let mut tokens = self.0.lock().unwrap();
        tokens.left += by;
        for waker in tokens.waiting.drain(..) { waker.wake(); }
    }
}
impl Future for Take {
    type Output = u32;
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<u32> {
        let mut tokens = self.bucket.0.lock().unwrap();
        match tokens.left.checked_sub(self.count) {
            Some(left) => { tokens.left = left; Poll::Ready(left) }
            None => { tokens.waiting.push(cx.waker().clone()); Poll::Pending }
        }
    }
}
