//! Runs the activities on lines from standard input, one event each.

use std::io::BufRead;
use std::sync::Arc;

use esop17_grtransit::search::SearchActivity;
use esop17_grtransit::times::{Favourites, Times};
use tokio::sync::mpsc;
use tokio::task::LocalSet;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (lines, mut inbox) = mpsc::channel(16);
    std::thread::spawn(move || read(lines));
    let search = Arc::new(SearchActivity::default());
    let favourites = Arc::new(Favourites::default());
    let times = Arc::new(Times::default());
    let ui = async move {
        while let Some(line) = inbox.recv().await {
            let (event, rest) = line.split_once(' ').unwrap_or((line.as_str(), ""));
            match event {
                "type" => search.clone().on_text_changed(rest),
                "stops" => search.clone().on_stops_button(),
                "routes" => search.clone().on_routes_button(),
                "favourites" => favourites.clone().on_resume(&[rest.to_owned()]),
                "times" => times.clone().on_resume(rest.to_owned()),
                _ => println!("{:?} {:?} {:?}", search.shown(), favourites.rows(), times.rows()),
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
