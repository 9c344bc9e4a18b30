//! The idle one is taken off under the lock that found it.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::{mpsc, watch};
#[derive(Clone, Copy, PartialEq)]
enum State { Idle, Busy }
type Workers = Arc<Mutex<BTreeMap<u32, State>>>;
fn pick(workers: &Workers) -> Option<u32> {
    let mut workers = workers.lock().unwrap();
    let found = workers.iter().find(|(_, s)| **s == State::Idle).map(|(id, _)| *id);
    if let Some(id) = found {
        workers.insert(id, State::Busy);
    }
    found
}
async fn handle(workers: Workers, job: String) {
    let Some(id) = pick(&workers) else { println!("no worker for {job}"); return };
    println!("{job} on {id}");
    tokio::task::yield_now().await;
    workers.lock().unwrap().insert(id, State::Idle);
}
#[tokio::main]
async fn main() {
    let workers: Workers = Arc::new(Mutex::new((0..4).map(|id| (id, State::Idle)).collect()));
    let (_jobs, mut incoming) = mpsc::channel::<String>(8);
    let (_stop, mut stopped) = watch::channel(false);
    loop {
        tokio::select! {
            _ = stopped.changed() => break,
            job = incoming.recv() => match job {
                Some(job) => { tokio::spawn(handle(workers.clone(), job)); }
                None => break,
            },
        }
    }
}
