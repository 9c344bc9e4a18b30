//! Saves a text once the typing pauses.

use std::io::BufRead;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (words, inbox) = mpsc::channel(16);
    std::thread::spawn(move || read(words));
    debounce(inbox).await;
}

async fn debounce(mut inbox: mpsc::Receiver<String>) {
    let mut pending: Option<String> = None;
    loop {
        tokio::select! {
            word = inbox.recv() => match word {
                Some(word) => pending = Some(word),
                None => return,
            },
            _ = sleep(Duration::from_millis(300)), if pending.is_some() => {
                if let Some(word) = pending.take() {
                    println!("saved {word}");
                }
            }
        }
    }
}

fn read(words: mpsc::Sender<String>) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if words.blocking_send(line).is_err() {
            return;
        }
    }
}
