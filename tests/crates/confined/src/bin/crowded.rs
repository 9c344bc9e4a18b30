//! A program whose runtime has one thread, which the future that it waits for shares with its tasks.
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

async fn serve() {
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

/// Before there are any tasks nobody minds.
fn prepare() {
    std::thread::sleep(Duration::from_millis(1));
}

fn start() {
    tokio::spawn(serve());
}

/// Each round keeps the task from going on.
fn lines(input: &Receiver<String>) {
    while let Ok(line) = input.recv() { //~ blocking-in-async
        println!("{line}");
    }
}

/// Of what this starts nothing is on the runtime.
fn elsewhere() {
    std::thread::spawn(|| std::thread::sleep(Duration::from_millis(1)));
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (sender, input) = channel();
    elsewhere();
    prepare();
    std::thread::sleep(Duration::from_millis(1));
    start();
    std::thread::sleep(Duration::from_millis(1)); //~ blocking-in-async warn
    drop(sender);
    lines(&input);
}
