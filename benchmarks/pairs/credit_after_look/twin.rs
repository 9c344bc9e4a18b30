//! A writer finds no credit, registers its waker, and looks again.
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
#[derive(Clone, Default)]
pub struct Credit { left: Arc<AtomicU32>, writer: Arc<Mutex<Option<Waker>>> }
impl Credit {
    fn try_take(&self) -> bool {
        self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_sub(1)).is_ok()
    }
    pub fn poll_take(&self, cx: &Context<'_>) -> Poll<()> {
        if self.try_take() {
            return Poll::Ready(());
        }
        *self.writer.lock().unwrap() = Some(cx.waker().clone());
        if self.try_take() { Poll::Ready(()) } else { Poll::Pending }
    }
    pub async fn take(&self) { std::future::poll_fn(|cx| self.poll_take(cx)).await }
    pub fn give(&self, n: u32) {
        self.left.fetch_add(n, Ordering::AcqRel);
        if let Some(writer) = self.writer.lock().unwrap().take() {
            writer.wake();
        }
    }
}
