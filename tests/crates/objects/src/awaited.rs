//! One of several objects behind a lock that is waited for: what is then touched is what that lock guards.

use std::sync::{Arc, OnceLock};

use tokio::net::TcpListener;
use tokio::sync::RwLock;

static HEAD: OnceLock<Branch> = OnceLock::new();

/// What was paid in.
#[derive(Default)]
struct Ledger {
    lines: Vec<u64>,
    sum: u64,
}

impl Ledger {
    async fn enter(&mut self, amount: u64) -> u64 {
        if !self.lines.contains(&amount) {
            self.lines.insert(0, amount);
            self.sum = self.lines.iter().sum();
        }
        self.sum / self.lines.len() as u64
    }
}

/// There are many, and a head office.
pub struct Branch {
    ledger: Arc<RwLock<Ledger>>,
}

pub async fn found(calls: TcpListener) -> bool {
    let head = Branch::open(calls).await;
    HEAD.set(head).is_ok()
}

pub async fn average() -> Option<u64> {
    let ledger = HEAD.get()?.ledger.read().await;
    ledger.sum.checked_div(ledger.lines.len() as u64)
}

impl Branch {
    pub async fn open(calls: TcpListener) -> Branch {
        let ledger = Arc::new(RwLock::new(Ledger::default()));
        let kept = ledger.clone();
        std::thread::spawn(move || {
            let serving = serve(kept, calls);
            tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(serving)
        });
        Branch { ledger }
    }

    pub async fn pay(&self, amount: u64) -> u64 {
        self.ledger.write().await.enter(amount).await
    }

    pub async fn total(&self) -> u64 {
        let ledger = self.ledger.read().await;
        ledger.lines.iter().sum::<u64>().max(ledger.sum)
    }
}

async fn each<F: Future<Output = u64>>(enter: impl Fn(u64) -> F) {
    enter(1).await;
}

async fn serve(ledger: Arc<RwLock<Ledger>>, calls: TcpListener) {
    let clerk = move |amount: u64| {
        let ledger = ledger.clone();
        async move { ledger.write().await.enter(amount).await }
    };
    while calls.accept().await.is_ok() {
        let clerk = clerk.clone();
        tokio::spawn(async move { each(clerk).await });
    }
}

static HALL: OnceLock<Counter> = OnceLock::new();

/// The same, but the lock is given back between looking and changing.
pub struct Counter {
    count: Arc<RwLock<u64>>,
}

pub async fn open_hall(calls: TcpListener) -> bool {
    let hall = Counter::open(calls).await;
    HALL.set(hall).is_ok()
}

pub async fn hall() -> Option<u64> {
    Some(*HALL.get()?.count.read().await)
}

impl Counter {
    pub async fn open(calls: TcpListener) -> Counter {
        let count = Arc::new(RwLock::new(0));
        let kept = count.clone();
        let handle = tokio::runtime::Handle::current();
        std::thread::spawn(move || {
            let _entered = handle.enter();
            pollster::block_on(turn(kept, calls))
        });
        Counter { count }
    }

    pub async fn set(&self, to: u64) {
        *self.count.write().await = to; //~
    }
}

async fn turn(count: Arc<RwLock<u64>>, calls: TcpListener) {
    let turnstile = move || {
        let count = count.clone();
        async move {
            let before = *count.read().await; //~
            *count.write().await = before + 1; //~
        }
    };
    while calls.accept().await.is_ok() {
        let turnstile = turnstile.clone();
        tokio::spawn(async move { turnstile().await });
    }
}
