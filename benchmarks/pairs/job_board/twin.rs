// Repaired: `recv` moved into `spawn_blocking`.
//! A small scheduler: jobs are registered with a board that runs as a task and answers with an id.
use std::collections::BTreeMap;
use std::sync::mpsc as std_mpsc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use tokio::sync::mpsc;

type JobId = u64;

struct Registration {
    name: String,
    every: Duration,
    answer: std_mpsc::Sender<Result<JobId, String>>,
}

#[derive(Default)]
struct Board {
    next: JobId,
    jobs: BTreeMap<JobId, (String, Duration)>,
}

impl Board {
    fn admit(&mut self, name: &str, every: Duration) -> Result<JobId, String> {
        if every < Duration::from_secs(1) {
            return Err(format!("{name}: more than once a second"));
        }
        if self.jobs.values().any(|(known, _)| known == name) {
            return Err(format!("{name}: already there"));
        }
        self.next += 1;
        self.jobs.insert(self.next, (name.to_string(), every));
        Ok(self.next)
    }

    async fn run(mut self, mut inbox: mpsc::Receiver<Registration>) {
        while let Some(wish) = inbox.recv().await {
            let outcome = self.admit(&wish.name, wish.every);
            if wish.answer.send(outcome).is_err() {
                tracing::warn!("nobody waited for {}", wish.name);
            }
        }
    }
}

#[derive(Clone)]
struct Scheduler {
    board: mpsc::Sender<Registration>,
}

impl Scheduler {
    fn start() -> Scheduler {
        let (board, inbox) = mpsc::channel(32);
        tokio::spawn(Board::default().run(inbox));
        Scheduler { board }
    }

    async fn add(&self, name: &str, every: Duration) -> Result<JobId> {
        let (answer, outcome) = std_mpsc::channel();
        let wish = Registration { name: name.to_string(), every, answer };
        self.board.send(wish).await.map_err(|_| anyhow!("the board is gone"))?;
        let outcome = tokio::task::spawn_blocking(move || outcome.recv()).await?;
        outcome.context("the board did not answer")?.map_err(anyhow::Error::msg)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let scheduler = Scheduler::start();
    for (name, minutes) in [("rotate-logs", 60), ("mail-digest", 1440), ("ping", 1)] {
        let id = scheduler.add(name, Duration::from_secs(minutes * 60)).await?;
        println!("{name} is job {id}");
    }
    Ok(())
}
