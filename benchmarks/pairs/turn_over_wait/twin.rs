//! Who waits for a token keeps its turn all the while: no second one is between its look and its change.
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::Mutex as Turn;
use tokio::time::sleep;

pub struct Bucket {
    tokens: Mutex<u32>,
    turn: Turn<()>,
}

impl Bucket {
    pub fn new() -> Self {
        Self { tokens: Mutex::new(0), turn: Turn::new(()) }
    }
    fn tokens(&self) -> u32 {
        *self.tokens.lock().unwrap()
    }
    pub async fn acquire(&self) {
        let _turn = self.turn.lock().await;
        while self.tokens() == 0 {
            sleep(Duration::from_millis(10)).await;
        }
        *self.tokens.lock().unwrap() -= 1;
    }
    pub fn refill(&self) {
        *self.tokens.lock().unwrap() += 1;
    }
}
