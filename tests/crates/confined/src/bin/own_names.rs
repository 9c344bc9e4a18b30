//! A type that nobody makes, in a module, and a trait with the name of a library's: both are the program's own.

use std::time::Duration;

pub mod pull {
    pub struct Batch {
        pub rows: std::sync::mpsc::Receiver<u32>,
    }

    impl Iterator for Batch {
        type Item = u32;

        fn next(&mut self) -> Option<u32> {
            self.rows.recv().ok()
        }
    }
}

mod parts {
    pub trait Component {
        fn shutdown(self) -> impl Future<Output = ()>;
    }
}

use parts::Component;

struct Pump;

impl Component for Pump {
    async fn shutdown(self) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

async fn lengths(words: &[String]) -> usize {
    let all = words.iter().map(|word| word.len()).sum::<usize>();
    tokio::task::yield_now().await;
    all
}

#[tokio::main]
async fn main() {
    let all = lengths(&["one".to_owned()]).await;
    tokio::spawn(Pump.shutdown()).await.ok();
    println!("{all}");
}
