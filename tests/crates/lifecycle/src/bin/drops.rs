//! Owners of one name, and what their `drop` does with the tasks.
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::sleep;

const PAUSE: Duration = Duration::from_millis(5);

fn beat(name: &'static str) -> JoinHandle<()> {
    tokio::spawn(async move { //~ outlives-owner
        loop {
            println!("{name}");
            sleep(PAUSE).await;
        }
    })
}

/// It ends its task.
mod ending {
    use super::*;

    pub struct Pump {
        pub task: Option<JoinHandle<()>>,
        pub level: u32,
    }

    impl Pump {
        pub fn start() -> Pump {
            let task = tokio::spawn(async move {
                loop {
                    sleep(PAUSE).await;
                }
            });
            Pump { task: Some(task), level: 0 }
        }

        fn stop(&mut self) {
            if let Some(task) = self.task.take() {
                task.abort();
            }
        }
    }

    impl Drop for Pump {
        fn drop(&mut self) {
            self.stop();
        }
    }
}

/// It only tells of it; that another one of its name ends its own does not help.
mod telling {
    use super::*;

    pub struct Pump {
        pub task: JoinHandle<()>,
        pub level: u32,
    }

    impl Pump {
        pub fn start() -> Pump {
            let task = tokio::spawn(async move { //~ outlives-owner
                loop {
                    sleep(PAUSE).await;
                }
            });
            Pump { task, level: 0 }
        }
    }

    impl Drop for Pump {
        fn drop(&mut self) {
            println!("{}", self.level);
        }
    }
}

/// It ends one of its two tasks.
struct Pair {
    first: JoinHandle<()>,
    second: JoinHandle<()>,
}

impl Pair {
    fn start() -> Pair {
        let first = tokio::spawn(async move {
            loop {
                sleep(PAUSE).await;
            }
        });
        Pair { first, second: beat("second") }
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        self.first.abort();
        println!("{}", self.second.is_finished());
    }
}

async fn serve() {
    let ending = ending::Pump::start();
    let telling = telling::Pump::start();
    let pair = Pair::start();
    sleep(PAUSE).await;
    println!("{} {}", ending.level + telling.level, pair.first.is_finished());
}

#[tokio::main]
async fn main() {
    for _ in 0..2 {
        serve().await;
    }
}
