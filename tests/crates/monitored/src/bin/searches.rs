//! A search for each word that is typed. With an argument, the one before goes on.
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

#[derive(Default)]
struct Searches {
    last: Option<JoinHandle<()>>,
    careless: bool,
}

impl Searches {
    async fn begin(&mut self, word: &'static str) {
        if let Some(last) = self.last.take().filter(|_| !self.careless) {
            last.abort();
            let _ = last.await;
        }
        self.last = Some(tokio::spawn(async move {
            sleep(Duration::from_millis(30)).await;
            println!("found {word}");
        }));
    }
}

#[tokio::main]
async fn main() {
    let mut searches = Searches { careless: std::env::args().len() > 1, ..Searches::default() };
    for word in ["a", "ab", "abc"] {
        searches.begin(word).await;
        sleep(Duration::from_millis(5)).await;
    }
    if let Some(last) = searches.last.take() {
        last.await.unwrap();
    }
}
