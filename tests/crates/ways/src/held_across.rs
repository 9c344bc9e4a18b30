//! Locks that keep threads, held where a task is suspended.

use dashmap::DashMap;
use tokio::sync::mpsc::Sender;

/// On a runtime of one thread, whoever hangs up keeps the task that speaks from ever going on.
#[derive(Default)]
pub struct Calls {
    lines: DashMap<u32, Sender<String>>,
}

impl Calls {
    pub async fn say(&self, number: u32, text: &str) -> bool {
        match self.lines.get(&number) { //~
            Some(line) => line.send(text.to_string()).await.is_ok(), //~
            None => false,
        }
    }

    pub fn hang_up(&self, number: u32) {
        self.lines.remove(&number); //~
    }
}

#[derive(Default)]
pub struct Lines {
    lines: DashMap<u32, Sender<String>>,
}

impl Lines {
    pub async fn say(&self, number: u32, text: &str) -> bool {
        let line = self.lines.get(&number).map(|line| line.clone());
        match line {
            Some(line) => line.send(text.to_string()).await.is_ok(),
            None => false,
        }
    }

    pub fn hang_up(&self, number: u32) {
        self.lines.remove(&number);
    }
}
