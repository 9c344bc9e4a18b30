//! Runs the list on lines from standard input, one event each.

use std::io::BufRead;
use std::sync::Arc;

use esop17_vlillechecker::{Fragment, Stations};
use tokio::sync::mpsc;
use tokio::task::LocalSet;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (lines, mut inbox) = mpsc::channel(16);
    std::thread::spawn(move || read(lines));
    let stations = Arc::new(Stations::new(5));
    let list = Arc::new(Fragment::default());
    let ui = async move {
        while let Some(line) = inbox.recv().await {
            let (event, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
            let index = rest.parse().unwrap_or(0);
            match event {
                "all" => list.clone().on_open_all(stations.clone()),
                "favourites" => list.clone().on_open_favourites(stations.clone()),
                "refresh" => list.clone().on_resume(),
                "click" => list.clone().on_click(index),
                "star" => list.clone().on_star_clicked(index),
                "back" => list.clone().on_back_pressed(),
                _ => println!("{:?}", list.bikes()),
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
