// It is looked again after the waker was noted (acto 0.8.2, src/acto_cell.rs).
use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};

struct Shared {
    count: AtomicUsize,
    waker: Mutex<Option<Waker>>,
}

pub struct Sender(Arc<Shared>);
pub struct Receiver(Arc<Shared>);

pub fn pair() -> (Sender, Receiver) {
    let shared = Arc::new(Shared { count: AtomicUsize::new(1), waker: Mutex::new(None) });
    (Sender(shared.clone()), Receiver(shared))
}

impl Drop for Sender {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            if let Some(waker) = self.0.waker.lock().unwrap().take() {
                waker.wake();
            }
        }
    }
}

impl Receiver {
    pub async fn no_senders(&mut self) {
        poll_fn(|cx| {
            if self.0.count.load(Ordering::SeqCst) == 0 {
                return Poll::Ready(());
            }
            *self.0.waker.lock().unwrap() = Some(cx.waker().clone());
            if self.0.count.load(Ordering::SeqCst) == 0 {
                return Poll::Ready(());
            }
            Poll::Pending
        })
        .await
    }
}
