// `never-woken`: hand-written `poll` returns Pending without using `cx`; `refill` wakes a list that nobody fills.
//! Sends probes to many hosts, but only so many a second.
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use anyhow::Result;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{interval, timeout};

/// Lets `burst` callers through at once, then as many as there are refills.
struct Gate {
    permits: AtomicU32,
    waiting: Mutex<Vec<Waker>>,
}

impl Gate {
    fn new(burst: u32) -> Arc<Gate> {
        Arc::new(Gate { permits: AtomicU32::new(burst), waiting: Mutex::default() })
    }

    fn pass(&self) -> Pass<'_> {
        Pass { gate: self }
    }

    fn take(&self) -> bool {
        let less = |permits: u32| permits.checked_sub(1);
        self.permits.fetch_update(Ordering::AcqRel, Ordering::Acquire, less).is_ok()
    }

    fn refill(&self, permits: u32) {
        self.permits.store(permits, Ordering::Release);
        for waker in self.waiting.lock().unwrap().drain(..) {
            waker.wake();
        }
    }
}

struct Pass<'a> {
    gate: &'a Gate,
}

impl Future for Pass<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if self.gate.take() {
            return Poll::Ready(());
        }
        Poll::Pending //~
    }
}

async fn probe(gate: Arc<Gate>, host: String) -> (String, bool) {
    gate.pass().await;
    let connected = timeout(Duration::from_secs(2), TcpStream::connect(&host)).await;
    (host, matches!(connected, Ok(Ok(_))))
}

async fn refill_for_ever(gate: Arc<Gate>, permits: u32) {
    let mut second = interval(Duration::from_secs(1));
    loop {
        second.tick().await;
        gate.refill(permits);
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let gate = Gate::new(20);
    let refiller = tokio::spawn(refill_for_ever(gate.clone(), 20));
    let mut probes = JoinSet::new();
    for last in 1..=254 {
        probes.spawn(probe(gate.clone(), format!("192.168.1.{last}:22")));
    }
    while let Some(probed) = probes.join_next().await {
        let (host, up) = probed?;
        println!("{host}: {}", if up { "up" } else { "down" });
    }
    refiller.abort();
    Ok(())
}
