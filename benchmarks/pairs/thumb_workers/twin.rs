// Repaired: `JoinSet::shutdown().await`.
//! Makes thumbnails of the pictures that clients name until it is interrupted.
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Result;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

#[derive(Default)]
struct Tally {
    made: AtomicUsize,
    failed: AtomicUsize,
}

struct Workers {
    jobs: async_channel::Sender<PathBuf>,
    set: JoinSet<()>,
    tally: Arc<Tally>,
}

impl Workers {
    fn start(count: usize) -> Workers {
        let (jobs, queue) = async_channel::bounded(64);
        let tally = Arc::new(Tally::default());
        let mut set = JoinSet::new();
        for _ in 0..count {
            set.spawn(work(queue.clone(), tally.clone()));
        }
        Workers { jobs, set, tally }
    }

    async fn submit(&self, picture: PathBuf) -> Result<()> {
        self.jobs.send(picture).await?;
        Ok(())
    }

    /// What is still queued is given up.
    async fn shut_down(mut self) -> Arc<Tally> {
        tracing::info!("{} pictures are left", self.jobs.len());
        self.set.shutdown().await;
        self.tally
    }
}

async fn work(queue: async_channel::Receiver<PathBuf>, tally: Arc<Tally>) {
    while let Ok(picture) = queue.recv().await {
        match make_thumbnail(picture).await {
            Ok(()) => tally.made.fetch_add(1, Ordering::Relaxed),
            Err(error) => {
                tracing::warn!("{error:#}");
                tally.failed.fetch_add(1, Ordering::Relaxed)
            }
        };
    }
}

async fn make_thumbnail(picture: PathBuf) -> Result<()> {
    let pixels = tokio::fs::read(&picture).await?;
    let small = tokio::task::spawn_blocking(move || shrink(&pixels)).await?;
    tokio::fs::write(picture.with_extension("thumb"), small).await?;
    Ok(())
}

fn shrink(pixels: &[u8]) -> Vec<u8> {
    let mean = |block: &[u8]| (block.iter().map(|grey| *grey as u32).sum::<u32>() / block.len() as u32) as u8;
    pixels.chunks(64).map(mean).collect()
}

async fn accept(workers: &Workers, listener: &TcpListener) -> Result<()> {
    loop {
        let (client, _) = listener.accept().await?;
        let mut names = BufReader::new(client).lines();
        while let Some(name) = names.next_line().await? {
            workers.submit(name.into()).await?;
        }
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let workers = Workers::start(4);
    let listener = TcpListener::bind("127.0.0.1:4411").await?;
    tokio::select! {
        accepted = accept(&workers, &listener) => accepted?,
        interrupted = tokio::signal::ctrl_c() => interrupted?,
    }
    let tally = workers.shut_down().await;
    let (made, failed) = (tally.made.load(Ordering::Relaxed), tally.failed.load(Ordering::Relaxed));
    println!("{made} thumbnails, {failed} failures");
    Ok(())
}
