// palfrey/serial_test, PR #45: check_new_key looks the key up under the read lock and inserts under a later write lock; of two test threads that both miss, the second replaces the mutex the first already took, and both "serial" tests run at once.
use once_cell::sync::Lazy;
use parking_lot::{ReentrantMutex, RwLock};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

type KeyLock = Arc<ReentrantMutex<()>>;

static LOCKS: Lazy<RwLock<HashMap<String, KeyLock>>> = Lazy::new(|| RwLock::new(HashMap::new()));

/// How long a serial test may wait for the one before it.
const MAX_WAIT: Duration = Duration::from_secs(60);

#[derive(Debug, PartialEq, Eq)]
pub struct Timeout(pub String);

fn check_new_key(name: &str) {
    // Check if a new key is needed. Just needs a read lock, which can be
    // done in sync with everyone else.
    let new_key = !LOCKS.read().contains_key(name); //~
    if new_key {
        // This is the rare path, which avoids the multi-writer situation mostly.
        LOCKS.write().insert(name.to_string(), KeyLock::default()); //~
    }
}

fn key_lock(name: &str) -> KeyLock {
    LOCKS.read()[name].clone()
}

/// Runs `function` while no other test with one of the same `names` runs.
pub fn serial_core_with_return<T>(names: &[&str], function: impl FnOnce() -> T) -> Result<T, Timeout> {
    let mut names = names.to_vec();
    names.sort_unstable();
    let mut held = Vec::with_capacity(names.len());
    for name in &names {
        check_new_key(name);
        held.push(key_lock(name));
    }
    let deadline = Instant::now() + MAX_WAIT;
    let mut guards = Vec::with_capacity(held.len());
    for (lock, name) in held.iter().zip(&names) {
        match lock.try_lock_until(deadline) {
            Some(guard) => guards.push(guard),
            None => return Err(Timeout(name.to_string())),
        }
    }
    let ret = function();
    drop(guards);
    Ok(ret)
}

pub fn serial_core(name: &str, function: impl FnOnce()) {
    if let Err(Timeout(key)) = serial_core_with_return(&[name], function) {
        panic!("waited more than {MAX_WAIT:?} for the serial key {key}");
    }
}

fn main() {
    let running = AtomicUsize::new(0);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                serial_core("database", || {
                    assert_eq!(running.fetch_add(1, Ordering::SeqCst), 0, "two serial tests at once");
                    thread::sleep(Duration::from_millis(5));
                    running.fetch_sub(1, Ordering::SeqCst);
                })
            });
        }
    });
}
