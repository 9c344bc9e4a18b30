//! Each task here does one thing wrong; the comment behind its start says which property that violates.
use std::future::poll_fn;
use std::io;
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
        let beat = tokio::spawn(async { //~ DestroyedWithOwner ResumeIfNeeded
            loop {
                sleep(SHORT).await;
            }
        });
        Pulse { beat }
    }
}

async fn store(text: &str) -> io::Result<()> {
    sleep(SHORT).await;
    if text.is_empty() { Err(io::Error::other("nothing to store")) } else { Ok(()) }
}

#[tokio::main]
async fn main() {
    let pulse = Pulse::new();
    sleep(SHORT).await;
    println!("{}", pulse.beat.is_finished());
    drop(pulse);
    tokio::spawn(store("")); //~ NeedHandler
    let lost = tokio::spawn(async { //~ NormalAsync
        sleep(SHORT).await;
        panic!("no answer")
    });
    let _: Result<(), _> = lost.await;
    let mut set = JoinSet::new();
    set.spawn(store("")); //~ ExceptionalAsync
    set.spawn(store("text"));
    sleep(4 * SHORT).await;
    drop(set);
    tokio::spawn(async { std::thread::sleep(Duration::from_millis(250)) }).await.unwrap(); //~ NoBlockUI
    tokio::spawn(poll_fn(|_| Poll::<()>::Pending)); //~ ResumeIfNeeded
    let work = spawn_blocking(|| { //~ ResumeIfNeeded
        for _ in 0..100 {
            std::thread::sleep(4 * SHORT);
        }
    });
    sleep(SHORT).await;
    work.abort();
    sleep(Duration::from_millis(1500)).await;
}
