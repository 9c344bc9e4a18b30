// lance0/xfr PR 176, repaired: state in the map, entry held through check and increment.
//! Bandwidth test server: limits the number of concurrent tests per client address.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dashmap::DashMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

struct IpState {
    count: u32,
    last_access: Instant,
}

/// Per-IP rate limiter.
pub struct RateLimiter {
    limits: DashMap<IpAddr, IpState>,
    max_per_ip: u32,
    window: Duration,
}

impl RateLimiter {
    pub fn new(max_per_ip: u32, window: Duration) -> Self {
        Self { limits: DashMap::new(), max_per_ip, window }
    }

    /// Admits a new test from this address, or says how many are running.
    pub fn check(&self, ip: IpAddr) -> Result<(), RateLimitError> {
        // The entry's guard is held through check and increment.
        let mut state = self
            .limits
            .entry(ip)
            .or_insert_with(|| IpState { count: 0, last_access: Instant::now() });

        let current = state.count;
        if current >= self.max_per_ip {
            return Err(RateLimitError { ip, current, max: self.max_per_ip });
        }
        state.count = current + 1;
        state.last_access = Instant::now();
        Ok(())
    }

    /// Gives a slot back when a test is over.
    pub fn release(&self, ip: IpAddr) {
        if let Some(mut state) = self.limits.get_mut(&ip) {
            state.count = state.count.saturating_sub(1);
        }
    }

    /// Drops addresses that have no test running and were not seen for a window.
    pub fn cleanup(&self) {
        let now = Instant::now();
        self.limits.retain(|_, state| {
            state.count > 0 || now.duration_since(state.last_access) < self.window
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
