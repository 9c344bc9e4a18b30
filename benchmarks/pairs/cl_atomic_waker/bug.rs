// Reduced from taskwait 0.4.0: a flag is looked at, then the waker is registered (AtomicWaker), no look after it: who sets the flag in between
// wakes nobody. With Mutex<Option<Waker>> in place of AtomicWaker this is denied.
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
        if self.inner.flag.load(Ordering::SeqCst) { Poll::Ready(()) } else { self.inner.waker.register(cx.waker()); Poll::Pending }
    }
}
