// Repaired: registered first, then looked at.
use futures::task::AtomicWaker;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::*;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
#[derive(Default)]
pub struct Inner { flag: AtomicBool, waker: AtomicWaker, }
#[derive(Clone, Default)]
pub struct Group { inner: Arc<Inner> }
impl Group {
    pub fn done(&self) { self.inner.flag.store(true, Ordering::SeqCst); self.inner.waker.wake() }
    pub fn wait(&self) -> WaitFuture { WaitFuture { inner: self.inner.clone() } }
    
}
pub struct WaitFuture { inner: Arc<Inner> }
impl Future for WaitFuture {
    type Output = ();
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        self.inner.waker.register(cx.waker());
        if self.inner.flag.load(Ordering::SeqCst) { Poll::Ready(()) } else { Poll::Pending }
    }
}
