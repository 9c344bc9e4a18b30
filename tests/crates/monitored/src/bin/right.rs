//! The same as it should be.
use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tokio::time::sleep;

const SHORT: Duration = Duration::from_millis(5);

struct Pulse {
    beat: JoinHandle<()>,
}

impl Pulse {
    fn new() -> Self {
        let beat = tokio::spawn(async {
            loop {
                sleep(SHORT).await;
            }
        });
        Pulse { beat }
    }
}

impl Drop for Pulse {
    fn drop(&mut self) {
        self.beat.abort();
    }
}

async fn store(text: &str) -> io::Result<()> {
    sleep(SHORT).await;
    if text.is_empty() { Err(io::Error::other("nothing to store")) } else { Ok(()) }
}

async fn answer() -> Option<u32> {
    sleep(SHORT).await;
    None
}

#[tokio::main]
async fn main() {
    let pulse = Pulse::new();
    sleep(SHORT).await;
    drop(pulse);
    tokio::spawn(async {
        if let Err(why) = store("").await {
            println!("{why}");
        }
    });
    println!("{:?}", tokio::spawn(answer()).await);
    let mut set: JoinSet<io::Result<()>> = ["", "text"].into_iter().map(store).collect();
    while let Some(stored) = set.join_next().await {
        println!("{stored:?}");
    }
    spawn_blocking(|| std::thread::sleep(Duration::from_millis(250))).await.unwrap();
    let mut asked = false;
    let again = tokio::spawn(poll_fn(move |cx| {
        cx.waker().wake_by_ref();
        if std::mem::replace(&mut asked, true) { Poll::Ready(()) } else { Poll::Pending }
    }));
    let stop = Arc::new(AtomicBool::new(false));
    let told = Arc::clone(&stop);
    let work = spawn_blocking(move || {
        for _ in 0..100 {
            if told.load(Ordering::Relaxed) {
                return;
            }
            std::thread::sleep(4 * SHORT);
        }
    });
    sleep(SHORT).await;
    stop.store(true, Ordering::Relaxed);
    work.abort();
    let (again, never) = tokio::join!(again, tokio::time::timeout(SHORT, std::future::pending::<()>()));
    println!("{again:?} {never:?}");
    sleep(Duration::from_millis(1500)).await;
}
