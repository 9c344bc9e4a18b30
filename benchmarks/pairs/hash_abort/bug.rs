//! Hashing on a blocking thread is aborted, and goes on.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
fn mix(seed: u64) -> u64 { seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(31) }
pub async fn find(start: u64, limit: Duration) -> Option<u64> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = stop.clone();
    let mut work = tokio::task::spawn_blocking(move || {
        let mut n = start;
        loop { //~
            if mix(n) & 0xFFFF_FFFF == 0 { return Some(n); }
            n = n.wrapping_add(1);
            let _ = &asked;
        }
    });
    tokio::select! {
        found = &mut work => found.ok().flatten(),
        _ = tokio::time::sleep(limit) => {
            work.abort();
            None
        }
    }
}
