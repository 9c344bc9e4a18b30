//! Runs the two activities on lines from standard input, one event each.

use std::io::BufRead;
use std::sync::Arc;

use esop17_aarddict::{Dictionaries, Lookup, Service};
use tokio::sync::mpsc;
use tokio::task::LocalSet;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (lines, mut inbox) = mpsc::channel(16);
    std::thread::spawn(move || read(lines));
    let service = Arc::new(Service::default());
    let lookup = Arc::new(Lookup::default());
    let dictionaries = Arc::new(Dictionaries::default());
    let ui = async move {
        lookup.clone().on_create(service.clone());
        dictionaries.clone().on_create_known(service);
        while let Some(line) = inbox.recv().await {
            let (event, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
            match event {
                "type" => {
                    lookup.clone().on_type(rest);
                    lookup.clone().on_text_changed();
                }
                "scan" => dictionaries.clone().on_scan_found(),
                _ => println!("{:?} {:?}", lookup.rows(), dictionaries.rows()),
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
