//! Runs the reader: the first line is searched for, then numbers open titles.

use std::io::BufRead;
use std::sync::Arc;

use esop17_news::Reader;
use tokio::sync::mpsc;
use tokio::task::LocalSet;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (lines, mut inbox) = mpsc::channel(16);
    std::thread::spawn(move || read(lines));
    let reader = Arc::new(Reader::default());
    let ui = async move {
        if let Some(word) = inbox.recv().await {
            reader.clone().on_search(word);
        }
        while let Some(line) = inbox.recv().await {
            match line.parse() {
                Ok(index) if reader.is_shown() => reader.clone().on_open(index),
                _ => println!("{}", reader.details()),
            }
        }
    };
    LocalSet::new().run_until(ui).await;
}

fn read(lines: mpsc::Sender<String>) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if lines.blocking_send(line).is_err() {
            return;
        }
    }
}
