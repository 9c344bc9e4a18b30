//! Each set is shut down, which waits until its tasks are gone.
use std::sync::Arc;
use tokio::sync::{mpsc, watch, Mutex};
use tokio::task::JoinSet;

#[derive(Default, Debug)]
pub struct Counts {
    pub done: u64,
}

async fn collect(mut results: mpsc::Receiver<u64>, counts: Arc<Mutex<Counts>>) {
    while let Some(result) = results.recv().await {
        counts.lock().await.done += result;
    }
}

async fn coordinate(counts: Arc<Mutex<Counts>>, mut stop: watch::Receiver<bool>) {
    let mut tasks = JoinSet::new();
    let (sender, results) = mpsc::channel(8);
    tasks.spawn(collect(results, counts));
    sender.send(1).await.ok();
    stop.changed().await.ok();
    tasks.shutdown().await;
}

pub async fn run(stop: watch::Receiver<bool>) -> Counts {
    let counts = Arc::new(Mutex::new(Counts::default()));
    let mut coordinators = JoinSet::new();
    for _ in 0..4 {
        coordinators.spawn(coordinate(counts.clone(), stop.clone()));
    }
    coordinators.join_all().await;
    Arc::try_unwrap(counts).expect("there are other owners").into_inner()
}
