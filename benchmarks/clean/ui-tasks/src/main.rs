//! Searches started from a user interface.

use std::cell::RefCell;
use std::io::BufRead;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::{spawn_local, LocalSet};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let (clicks, mut inbox) = mpsc::channel(16);
    std::thread::spawn(move || read(clicks));
    let results = Rc::new(RefCell::new(Vec::new()));
    let ui = async move {
        while let Some(query) = inbox.recv().await {
            spawn_local(search(results.clone(), query));
        }
    };
    LocalSet::new().run_until(ui).await;
}

async fn search(results: Rc<RefCell<Vec<String>>>, query: String) {
    tokio::time::sleep(Duration::from_millis(50)).await;
    let found = query.to_uppercase();
    let mut results = results.borrow_mut();
    if !results.contains(&found) {
        results.push(found);
    }
}

fn read(clicks: mpsc::Sender<String>) {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if clicks.blocking_send(line).is_err() {
            return;
        }
    }
}
