// rants 0.6.0, src/lib.rs (`Drop` of a request): the async mutex is taken by `block_on` in `drop`, which runs in async functions (at a time-out, when
// they are cancelled): on a runtime with one thread whoever holds the mutex never goes on.
use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::Duration;
use tokio::sync::{mpsc, Mutex};

type Waiting = Arc<Mutex<HashMap<u64, mpsc::Sender<String>>>>;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut cx) {
            return value;
        }
        thread::park(); //~
    }
}

struct Request {
    key: u64,
    waiting: Waiting,
}

impl Drop for Request {
    fn drop(&mut self) {
        block_on(async { //~
            self.waiting.lock().await.remove(&self.key);
        });
    }
}

#[derive(Clone, Default)]
pub struct Client {
    waiting: Waiting,
    next: Arc<AtomicU64>,
}

impl Client {
    /// `ask` sends what is to be answered under the number.
    pub async fn call(&self, ask: impl FnOnce(u64)) -> Option<String> {
        let request = Request { key: self.next.fetch_add(1, Ordering::Relaxed), waiting: self.waiting.clone() };
        let (tx, mut rx) = mpsc::channel(1);
        self.waiting.lock().await.insert(request.key, tx);
        ask(request.key);
        tokio::time::timeout(Duration::from_secs(1), rx.recv()).await.ok().flatten()
    }

    pub async fn answer(&self, key: u64, text: String) {
        let mut waiting = self.waiting.lock().await;
        if let Some(tx) = waiting.get_mut(&key) {
            let _ = tx.send(text).await;
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let client = Client::default();
    let other = client.clone();
    let answer = client.call(|key| {
        tokio::spawn(async move {
            for text in ["a", "b"] {
                other.answer(key, text.into()).await;
            }
        });
    });
    println!("{:?}", answer.await);
}
