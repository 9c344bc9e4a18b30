//! Work that is cancelled, and whether it ever asks.
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tokio_util::sync::CancellationToken;

fn weigh(file: &PathBuf) -> u64 {
    std::fs::metadata(file).map_or(0, |data| data.len())
}

/// An abort does nothing to a thread.
async fn weigh_all(files: Vec<PathBuf>, stop: CancellationToken) {
    let work = spawn_blocking(move || {
        let mut sum = 0;
        for file in files { //~ never-checks warn
            sum += weigh(&file);
        }
        sum
    });
    stop.cancelled().await;
    work.abort();
}

async fn weigh_until(files: Vec<PathBuf>, stop: CancellationToken) {
    let asked = stop.clone();
    let work = spawn_blocking(move || {
        let mut sum = 0;
        for file in files {
            if asked.is_cancelled() {
                break;
            }
            sum += weigh(&file);
        }
        sum
    });
    stop.cancelled().await;
    work.abort();
}

/// Nothing in the loop suspends.
struct Miner {
    dig: JoinHandle<u64>,
}

fn hash(seed: u64) -> u64 {
    (0..64).fold(seed, |sum, bit| sum.rotate_left(bit) ^ 0x9e37)
}

impl Miner {
    fn start() -> Self {
        let dig = tokio::spawn(async {
            let mut seed = 1;
            while hash(seed) != 0 { //~ never-checks warn
                seed += 1;
            }
            seed
        });
        Miner { dig }
    }
}

impl Drop for Miner {
    fn drop(&mut self) {
        self.dig.abort();
    }
}

struct PoliteMiner {
    dig: JoinHandle<u64>,
}

impl PoliteMiner {
    fn start() -> Self {
        let dig = tokio::spawn(async {
            let mut seed = 1;
            while hash(seed) != 0 {
                seed += 1;
                tokio::task::yield_now().await;
            }
            seed
        });
        PoliteMiner { dig }
    }
}

impl Drop for PoliteMiner {
    fn drop(&mut self) {
        self.dig.abort();
    }
}

fn index(files: &[PathBuf], stop: Option<&AtomicBool>) -> HashMap<PathBuf, u64> {
    let mut found = HashMap::new();
    for file in files {
        if stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            break;
        }
        found.insert(file.clone(), weigh(file));
    }
    found
}

/// It asks a flag, in another function.
async fn index_all(files: Vec<PathBuf>) {
    let stop = Arc::new(AtomicBool::new(false));
    let own = Arc::clone(&stop);
    let mut set = JoinSet::new();
    set.spawn_blocking(move || index(&files, Some(&own)));
    stop.store(true, Ordering::Relaxed);
    set.abort_all();
}

fn sum(files: &[PathBuf]) -> u64 {
    let mut sum = 0;
    for file in files { //~ never-checks warn
        sum += weigh(file);
    }
    sum
}

async fn sum_all(files: Vec<PathBuf>) {
    let mut set = JoinSet::new();
    set.spawn_blocking(move || sum(&files));
    set.abort_all();
}

/// It has no end but what it looks for.
async fn mine(stop: CancellationToken) {
    let work = spawn_blocking(|| {
        let mut seed = 1;
        while hash(seed) != 0 { //~ never-checks
            seed += 1;
        }
        seed
    });
    stop.cancelled().await;
    work.abort();
}

/// Who counts learns nothing.
async fn count_all(files: Vec<PathBuf>, seen: Arc<AtomicU64>) {
    let mut set = JoinSet::new();
    set.spawn_blocking(move || {
        for file in &files { //~ never-checks warn
            weigh(file);
            seen.fetch_add(1, Ordering::Relaxed);
        }
    });
    set.abort_all();
}

/// Who looks at the count does.
async fn count_some(files: Vec<PathBuf>, seen: Arc<AtomicU64>) {
    let mut set = JoinSet::new();
    set.spawn_blocking(move || {
        for file in &files {
            weigh(file);
            if seen.fetch_add(1, Ordering::Relaxed) > 1000 {
                break;
            }
        }
    });
    set.abort_all();
}

#[tokio::main]
async fn main() {
    let seen = Arc::new(AtomicU64::new(0));
    count_all(Vec::new(), seen.clone()).await;
    count_some(Vec::new(), seen).await;
    let stop = CancellationToken::new();
    stop.cancel();
    weigh_all(Vec::new(), stop.clone()).await;
    weigh_until(Vec::new(), stop.clone()).await;
    mine(stop).await;
    println!("{}", Miner::start().dig.is_finished());
    println!("{}", PoliteMiner::start().dig.is_finished());
    index_all(Vec::new()).await;
    sum_all(Vec::new()).await;
}
