//! The result is counted before the permit is given back.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

async fn work(job: u64) -> u64 {
    tokio::task::yield_now().await;
    job + 1
}

async fn note(sum: &AtomicU64, result: u64) {
    tokio::task::yield_now().await;
    sum.fetch_add(result, Ordering::SeqCst);
}

pub async fn run(jobs: Vec<u64>) -> u64 {
    let permits = Arc::new(Semaphore::new(4));
    let sum = Arc::new(AtomicU64::new(0));
    let mut workers = JoinSet::new();
    for job in jobs {
        let permit = permits.clone().acquire_owned().await.unwrap();
        let sum = sum.clone();
        workers.spawn(async move {
            let result = work(job).await;
            note(&sum, result).await;
            drop(permit);
        });
    }
    let _all = permits.acquire_many(4).await.unwrap();
    drop(workers);
    sum.load(Ordering::SeqCst)
}
