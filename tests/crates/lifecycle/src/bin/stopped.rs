//! Work that is stopped as the program ends.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::task::{JoinSet, spawn_blocking};
use tokio_util::sync::CancellationToken;

/// What a lock keeps says nothing of whether to go on.
fn keep_up_to_date(index: &Mutex<Vec<u64>>) {
    loop {
        let number = index.lock().unwrap().len() as u64; //~ never-checks
        index.lock().unwrap().push(number);
        std::thread::sleep(Duration::from_secs(1));
    }
}

fn keep_until(index: &Mutex<Vec<u64>>, stop: &CancellationToken) {
    while !stop.is_cancelled() {
        let number = index.lock().unwrap().len() as u64;
        index.lock().unwrap().push(number);
        std::thread::sleep(Duration::from_secs(1));
    }
}

async fn work() {
    tokio::time::sleep(Duration::from_secs(60)).await;
}

struct Workers {
    set: JoinSet<()>,
}

impl Workers {
    fn start() -> Workers {
        let mut set = JoinSet::new();
        for _ in 0..4 {
            set.spawn(work());
        }
        Workers { set }
    }

    /// Who waits for all panics if one was cancelled.
    async fn shut_down(mut self) {
        self.set.abort_all();
        self.set.join_all().await; //~ panic-as-result
    }

    async fn shut_down_calmly(mut self) {
        self.set.shutdown().await;
    }
}

#[tokio::main]
async fn main() {
    let index = Arc::new(Mutex::new(Vec::new()));
    let stop = CancellationToken::new();
    let (own, theirs, asked) = (index.clone(), index.clone(), stop.clone());
    let deaf = spawn_blocking(move || keep_up_to_date(&own));
    let asking = spawn_blocking(move || keep_until(&theirs, &asked));
    tokio::time::sleep(Duration::from_secs(1)).await;
    stop.cancel();
    deaf.abort();
    asking.abort();
    Workers::start().shut_down().await;
    Workers::start().shut_down_calmly().await;
    println!("{}", index.lock().unwrap().len());
}
