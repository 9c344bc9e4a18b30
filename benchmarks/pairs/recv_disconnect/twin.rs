// Source: zesterer/flume PR #121 (fix a race condition in the async code), issue #120
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use futures::task::AtomicWaker;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TryRecvError {
    Empty,
    Disconnected,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disconnected;

struct Shared<T> {
    queue: Mutex<VecDeque<T>>,
    sender_count: AtomicUsize,
    waker: AtomicWaker,
}

impl<T> Shared<T> {
    fn pop(&self) -> Option<T> {
        self.queue.lock().unwrap().pop_front()
    }

    fn is_disconnected(&self) -> bool {
        self.sender_count.load(Ordering::SeqCst) == 0
    }

    fn recv_sync(&self) -> Result<T, TryRecvError> {
        if let Some(msg) = self.pop() {
            return Ok(msg);
        }
        if self.is_disconnected() {
            return self.pop().ok_or(TryRecvError::Disconnected);
        }
        Err(TryRecvError::Empty)
    }
}

pub fn unbounded<T>() -> (Sender<T>, Receiver<T>) {
    let shared = Arc::new(Shared {
        queue: Mutex::new(VecDeque::new()),
        sender_count: AtomicUsize::new(1),
        waker: AtomicWaker::new(),
    });
    (Sender { shared: shared.clone() }, Receiver { shared })
}

pub struct Sender<T> {
    shared: Arc<Shared<T>>,
}

impl<T> Sender<T> {
    pub fn send(&self, msg: T) {
        self.shared.queue.lock().unwrap().push_back(msg);
        self.shared.waker.wake();
    }
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        self.shared.sender_count.fetch_add(1, Ordering::SeqCst);
        Sender { shared: self.shared.clone() }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        if self.shared.sender_count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.shared.waker.wake();
        }
    }
}

pub struct Receiver<T> {
    shared: Arc<Shared<T>>,
}

impl<T> Receiver<T> {
    pub fn try_recv(&mut self) -> Result<T, TryRecvError> {
        self.shared.recv_sync()
    }

    pub fn recv_async(&mut self) -> RecvFut<'_, T> {
        RecvFut { receiver: self }
    }
}

pub struct RecvFut<'a, T> {
    receiver: &'a mut Receiver<T>,
}

impl<T> Future for RecvFut<'_, T> {
    type Output = Result<T, Disconnected>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let shared = &self.receiver.shared;
        shared.waker.register(cx.waker());
        match shared.recv_sync() {
            Ok(msg) => Poll::Ready(Ok(msg)),
            Err(TryRecvError::Disconnected) => Poll::Ready(Err(Disconnected)),
            Err(TryRecvError::Empty) => Poll::Pending,
        }
    }
}
