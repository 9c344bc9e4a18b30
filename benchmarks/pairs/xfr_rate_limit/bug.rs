// lance0/xfr PR 176: `check` clones the `Arc` out of the map and counts it up later; `cleanup` removes the zero entry in between: the slot is counted in an orphan, more tests than allowed run.
//! Bandwidth test server: limits the number of concurrent tests per client address.

use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dashmap::DashMap;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

struct IpState {
    count: AtomicU32,
    last_access: Mutex<Instant>,
}

/// Per-IP rate limiter.
pub struct RateLimiter {
    limits: DashMap<IpAddr, Arc<IpState>>,
    max_per_ip: u32,
    window: Duration,
}

impl RateLimiter {
    pub fn new(max_per_ip: u32, window: Duration) -> Self {
        Self { limits: DashMap::new(), max_per_ip, window }
    }

    /// Admits a new test from this address, or says how many are running.
    pub fn check(&self, ip: IpAddr) -> Result<(), RateLimitError> {
        let state = self
            .limits
            .entry(ip) //~
            .or_insert_with(|| {
                Arc::new(IpState {
                    count: AtomicU32::new(0),
                    last_access: Mutex::new(Instant::now()),
                })
            })
            .clone();

        loop {
            let current = state.count.load(Ordering::SeqCst);
            if current >= self.max_per_ip {
                return Err(RateLimitError { ip, current, max: self.max_per_ip });
            }
            if state
                .count
                .compare_exchange(current, current + 1, Ordering::SeqCst, Ordering::SeqCst) //~
                .is_ok()
            {
                *state.last_access.lock() = Instant::now();
                return Ok(());
            }
        }
    }

    /// Gives a slot back when a test is over.
    pub fn release(&self, ip: IpAddr) {
        if let Some(state) = self.limits.get(&ip) {
            let _ = state.count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| {
                Some(count.saturating_sub(1))
            });
        }
    }

    /// Drops addresses that have no test running and were not seen for a window.
    pub fn cleanup(&self) {
        let now = Instant::now();
        self.limits.retain(|_, state| { //~
            let last = *state.last_access.lock();
            let count = state.count.load(Ordering::SeqCst); //~
            count > 0 || now.duration_since(last) < self.window
        });
    }

    pub fn start_cleanup_task(self: Arc<Self>) {
        let interval = self.window / 2;
        tokio::spawn(async move {
            let mut ticker = tokio::time::interval(interval);
            loop {
                ticker.tick().await;
                self.cleanup();
            }
        });
    }
}

#[derive(Debug, Clone)]
pub struct RateLimitError {
    pub ip: IpAddr,
    pub current: u32,
    pub max: u32,
}

impl fmt::Display for RateLimitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {} concurrent tests (max {})", self.ip, self.current, self.max)
    }
}

async fn run_test(mut stream: TcpStream) -> std::io::Result<u64> {
    let mut total = 0;
    let mut buf = vec![0u8; 16 * 1024];
    loop {
        let n = stream.read(&mut buf).await?;
        if n == 0 {
            break;
        }
        total += n as u64;
    }
    stream.write_all(format!("{total}\n").as_bytes()).await?;
    Ok(total)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 5201)).await?;
    let limiter = Arc::new(RateLimiter::new(4, Duration::from_secs(60)));
    limiter.clone().start_cleanup_task();

    loop {
        let (mut stream, peer) = listener.accept().await?;
        let limiter = limiter.clone();
        tokio::spawn(async move {
            if let Err(e) = limiter.check(peer.ip()) {
                let _ = stream.write_all(format!("error: {e}\n").as_bytes()).await;
                return;
            }
            let result = run_test(stream).await;
            limiter.release(peer.ip());
            if let Err(e) = result {
                tracing::warn!(%peer, "test failed: {e}");
            }
        });
    }
}
