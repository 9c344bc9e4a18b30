//! A library: whoever awaits its futures runs them on an executor; of its other functions nobody knows where they run.
use std::sync::mpsc;
use std::time::Duration;

use dashmap::DashMap;

pub struct Scheduler {
    jobs: Vec<u32>,
}

impl Scheduler {
    pub async fn add(&mut self, job: u32) -> bool {
        let (send, receive) = mpsc::channel();
        tokio::spawn(async move { send.send(job).is_ok() });
        self.jobs.push(job);
        receive.recv().is_ok() //~ blocking-in-async
    }

    /// A thread's.
    pub fn wait(&self) {
        std::thread::sleep(Duration::from_millis(10));
    }

    pub fn start(&self) {
        tokio::spawn(async {
            std::thread::sleep(Duration::from_millis(10)); //~ blocking-in-async
        });
    }

    /// Whoever calls has made the runtime that runs this task; the one that is made in it has nothing to do with that.
    pub fn compute(&self, job: u32) {
        tokio::spawn(async move {
            tokio::task::block_in_place(|| {
                let inner = tokio::runtime::Builder::new_current_thread().build();
                inner.map(|inner| inner.block_on(async move { job + 1 })).unwrap_or_default()
            })
        });
    }
}

/// Turns by key: an entry is had over an await, and whoever else wants it goes away.
pub struct Turns {
    each: DashMap<u32, u64>,
}

impl Turns {
    pub async fn take(&self, key: u32) {
        let taken = loop {
            match self.each.try_entry(key) {
                Some(entry) => break entry,
                None => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        };
        let mut turn = taken.or_insert(0);
        tokio::time::sleep(Duration::from_millis(1)).await;
        *turn += 1;
    }
}

/// The same, and who comes meanwhile keeps its thread waiting.
pub struct Queues {
    each: DashMap<u32, u64>,
}

impl Queues {
    pub async fn take(&self, key: u32) {
        let mut turn = self.each.entry(key).or_insert(0);
        tokio::time::sleep(Duration::from_millis(1)).await; //~ lock-across-await
        *turn += 1;
    }
}

/// A port that keeps whoever asks it waiting.
pub async fn open(door: &std::net::TcpListener) -> std::io::Result<std::net::SocketAddr> {
    door.accept().map(|(_, from)| from) //~ blocking-in-async
}
