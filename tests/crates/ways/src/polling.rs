//! Loops that look again and again until somebody else has done something, and go by that afterwards.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::Duration;

use futures::Stream;
use futures::task::AtomicWaker;

/// At most four at once.
#[derive(Default)]
pub struct Limit {
    active: AtomicU64,
}

impl Limit {
    pub fn enter(&self) {
        while self.active.load(Ordering::SeqCst) >= 4 { //~
            std::thread::yield_now();
        }
        self.active.fetch_add(1, Ordering::SeqCst); //~
    }

    pub fn leave(&self) {
        self.active.fetch_sub(1, Ordering::SeqCst);
    }
}

/// One after the other.
#[derive(Default)]
pub struct Turns {
    busy: tokio::sync::Mutex<bool>,
    taken: tokio::sync::Mutex<bool>,
}

impl Turns {
    pub async fn take(&self) {
        while *self.busy.lock().await { //~
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        *self.busy.lock().await = true; //~
    }

    pub async fn leave(&self) {
        *self.busy.lock().await = false;
    }

    /// Under the lock of the look.
    pub async fn take_at_once(&self) {
        loop {
            let mut taken = self.taken.lock().await;
            if !*taken {
                *taken = true;
                break;
            }
            drop(taken);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub async fn leave_at_once(&self) {
        *self.taken.lock().await = false;
    }
}

/// What is waited for stays: the flag is only ever raised.
#[derive(Default)]
pub struct Answer {
    there: AtomicBool,
    value: Mutex<Option<u64>>,
}

impl Answer {
    pub fn wait(&self) -> Option<u64> {
        while !self.there.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        self.value.lock().unwrap().take()
    }

    pub fn give(&self, value: u64) {
        *self.value.lock().unwrap() = Some(value);
        self.there.store(true, Ordering::SeqCst);
    }
}

/// As many as there are to be: the number only grows.
#[derive(Default)]
pub struct Workers {
    done: AtomicU64,
    sum: Mutex<u64>,
}

impl Workers {
    pub fn work(&self, amount: u64) {
        *self.sum.lock().unwrap() += amount;
        self.done.fetch_add(1, Ordering::SeqCst);
    }

    pub fn finish(&self) {
        while self.done.load(Ordering::SeqCst) < 4 {
            std::thread::sleep(Duration::from_millis(1));
        }
        *self.sum.lock().unwrap() += 1;
    }
}

/// A loop that comes to its end by itself is no wait: what comes after it does not rely on what it saw.
#[derive(Default)]
pub struct Levels {
    levels: [AtomicU64; 8],
    rounds: AtomicU64,
}

impl Levels {
    pub fn raise(&self, at: usize) {
        self.levels[at].fetch_add(2, Ordering::SeqCst);
    }

    pub fn lower(&self, at: usize) {
        self.levels[at].fetch_sub(1, Ordering::SeqCst);
    }

    pub fn round(&self) {
        let mut at = 0;
        while at < 8 && self.levels[at].load(Ordering::SeqCst) > 0 {
            at += 1;
        }
        self.rounds.store(0, Ordering::SeqCst);
    }
}

/// What is told of by a waker, of which there is one.
#[derive(Default)]
struct News {
    queue: Mutex<VecDeque<String>>,
    waker: AtomicWaker,
}

impl News {
    fn put(&self, text: &str) {
        self.queue.lock().unwrap().push_back(text.to_owned());
        self.waker.wake();
    }

    fn take(&self) -> Option<String> {
        self.queue.lock().unwrap().pop_front()
    }
}

/// What comes between the look and the waker wakes nobody.
#[derive(Clone, Default)]
pub struct Deaf {
    news: Arc<News>,
}

impl Deaf {
    pub fn put(&self, text: &str) {
        self.news.put(text);
    }
}

impl Stream for Deaf {
    type Item = String;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<String>> {
        if let Some(text) = self.news.queue.lock().unwrap().pop_front() { //~
            return Poll::Ready(Some(text));
        }
        self.news.waker.register(context.waker()); //~
        Poll::Pending
    }
}

/// The waker is there before the last look.
#[derive(Clone, Default)]
pub struct Attentive {
    news: Arc<News>,
}

impl Attentive {
    pub fn put(&self, text: &str) {
        self.news.put(text);
    }
}

impl Stream for Attentive {
    type Item = String;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<String>> {
        if let Some(text) = self.news.take() {
            return Poll::Ready(Some(text));
        }
        self.news.waker.register(context.waker());
        match self.news.take() {
            Some(text) => Poll::Ready(Some(text)),
            None => Poll::Pending,
        }
    }
}

/// A flag and the waker of who waits for it.
#[derive(Default)]
struct Latch {
    open: AtomicBool,
    waker: AtomicWaker,
}

impl Latch {
    fn open(&self) {
        self.open.store(true, Ordering::SeqCst); //~
        self.waker.wake(); //~
    }
}

/// What is opened between the look and the waker wakes nobody.
#[derive(Clone, Default)]
pub struct Late {
    latch: Arc<Latch>,
}

impl Late {
    pub fn open(&self) {
        self.latch.open();
    }
}

impl Future for Late {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.latch.open.load(Ordering::SeqCst) { //~
            return Poll::Ready(());
        }
        self.latch.waker.register(context.waker()); //~
        Poll::Pending
    }
}

/// Looks again behind it.
#[derive(Clone, Default)]
pub struct InTime {
    latch: Arc<Latch>,
}

impl InTime {
    pub fn open(&self) {
        self.latch.open();
    }
}

impl Future for InTime {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.latch.open.load(Ordering::SeqCst) {
            return Poll::Ready(());
        }
        self.latch.waker.register(context.waker());
        match self.latch.open.load(Ordering::SeqCst) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}
