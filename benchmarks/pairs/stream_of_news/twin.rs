// A hand-written stream: the waker is kept before the queue is looked at for the last time, or a wake-up is lost.
use futures::task::AtomicWaker;
use futures::Stream;
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

#[derive(Default)]
struct Shared { queue: Mutex<VecDeque<String>>, waker: AtomicWaker }

#[derive(Clone, Default)]
pub struct Publisher { shared: Arc<Shared> }
pub struct Subscriber { shared: Arc<Shared> }

impl Publisher {
    pub fn publish(&self, news: &str) {
        self.shared.queue.lock().unwrap().push_back(news.to_string());
        self.shared.waker.wake();
    }
    pub fn subscribe(&self) -> Subscriber { Subscriber { shared: self.shared.clone() } }
}

impl Stream for Subscriber {
    type Item = String;
    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<String>> {
        self.shared.waker.register(cx.waker());
        match self.shared.queue.lock().unwrap().pop_front() {
            Some(news) => Poll::Ready(Some(news)),
            None => Poll::Pending,
        }
    }
}
