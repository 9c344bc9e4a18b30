//! `join!` and its kin: futures that run side by side and are joined at the end of the construct.
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use tokio::time::sleep;

type Shared = Arc<Mutex<u64>>;

async fn pause() {
    sleep(Duration::from_millis(1)).await;
}

/// One half looks at what the other half changes.
#[derive(Default)]
pub struct Halves {
    total: Mutex<u64>,
}

impl Halves {
    async fn fill(&self, value: u64) {
        pause().await;
        *self.total.lock().await = value; //~
    }

    async fn show(&self) -> u64 {
        pause().await;
        *self.total.lock().await //~
    }

    pub async fn both(&self, value: u64) -> u64 {
        let ((), seen) = tokio::join!(self.fill(value), self.show());
        seen
    }
}

#[derive(Default)]
pub struct Parts {
    left: Mutex<u64>,
    right: Mutex<u64>,
}

impl Parts {
    pub async fn both(&self) {
        tokio::join!(
            async {
                pause().await;
                *self.left.lock().await += 1;
            },
            async {
                pause().await;
                *self.right.lock().await += 1;
            }
        );
    }
}

/// The first of both may end before the second began, or after it.
#[derive(Default)]
pub struct Tried {
    state: Mutex<Option<u64>>,
}

impl Tried {
    async fn store(&self, value: u64) -> Result<(), ()> {
        pause().await;
        *self.state.lock().await = Some(value); //~
        Ok(())
    }

    async fn clear(&self) -> Result<(), ()> {
        pause().await;
        *self.state.lock().await = None; //~
        Ok(())
    }

    pub async fn both(&self, value: u64) -> Result<(), ()> {
        tokio::try_join!(self.store(value), self.clear())?;
        Ok(())
    }
}

#[derive(Default)]
pub struct Futures {
    log: Mutex<Vec<u64>>,
    last: Mutex<u64>,
}

impl Futures {
    async fn note(&self, value: u64) {
        pause().await;
        *self.last.lock().await = value; //~
    }

    /// The last one is whoever came last.
    pub async fn both(&self) {
        futures::join!(self.note(1), self.note(2));
    }

    pub async fn counted(&self) {
        futures::join!(async { self.log.lock().await.push(1) }, async { self.log.lock().await.push(2) });
    }
}

/// Members of a set are tasks; after the last one was joined, all of them have ended.
#[derive(Default)]
pub struct Set {
    result: Shared,
    early: Shared,
}

impl Set {
    pub async fn collect(&self) -> u64 {
        let mut set = JoinSet::new();
        for _ in 0..3 {
            let result = self.result.clone();
            set.spawn(async move { *result.lock().await += 1 });
        }
        while set.join_next().await.is_some() {}
        7
    }

    pub async fn too_early(&self) -> u64 {
        let mut set = JoinSet::new();
        let early = self.early.clone();
        set.spawn(async move { *early.lock().await = 1 }); //~
        let seen = *self.early.lock().await; //~
        while set.join_next().await.is_some() {}
        seen
    }
}

/// What is read after the set is empty was written before.
pub mod set_joined {
    use super::*;

    pub async fn run() -> u64 {
        let result = Shared::default();
        let mut set = JoinSet::new();
        let own = result.clone();
        set.spawn(async move { *own.lock().await = 5 });
        while set.join_next().await.is_some() {}
        *result.lock().await
    }
}

#[derive(Default)]
pub struct Unordered {
    last: Mutex<u64>,
    sum: Mutex<u64>,
}

impl Unordered {
    async fn note(&self, value: u64) {
        pause().await;
        *self.last.lock().await = value; //~
    }

    pub async fn run(&self) {
        let mut running = FuturesUnordered::new();
        for value in 0..3 {
            running.push(self.note(value));
        }
        while running.next().await.is_some() {}
    }

    async fn add(&self, value: u64) {
        pause().await;
        *self.sum.lock().await += value;
    }

    pub async fn add_up(&self) {
        let running: FuturesUnordered<_> = (0..3).map(|value| self.add(value)).collect();
        running.collect::<Vec<_>>().await;
    }
}

#[derive(Default)]
pub struct All {
    last: Mutex<u64>,
    sum: Mutex<u64>,
}

impl All {
    async fn note(&self, value: u64) {
        pause().await;
        *self.last.lock().await = value; //~
    }

    pub async fn run(&self) {
        futures::future::join_all((0..3).map(|value| self.note(value))).await;
    }

    async fn add(&self, value: u64) {
        pause().await;
        *self.sum.lock().await += value;
    }

    pub async fn add_up(&self) {
        futures::future::join_all((0..3).map(|value| self.add(value))).await;
    }
}
