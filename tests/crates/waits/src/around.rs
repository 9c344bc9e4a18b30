//! Loops that wait, in a critical section as a whole: each round has the lock.

use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::Mutex as Turn;
use tokio::time::sleep;

/// A well that fills up slowly; who draws keeps the turn until there is water.
#[derive(Default)]
pub struct Well {
    water: Mutex<u32>,
    turn: Turn<()>,
}

impl Well {
    fn level(&self) -> u32 {
        *self.water.lock().unwrap()
    }

    /// Nobody else draws between the look and the change.
    pub async fn draw(&self) {
        let _turn = self.turn.lock().await;
        while self.level() == 0 {
            sleep(Duration::from_millis(10)).await;
        }
        *self.water.lock().unwrap() -= 1;
    }

    pub fn rain(&self) {
        *self.water.lock().unwrap() += 1;
    }
}

/// The turn is given back before the water is taken.
#[derive(Default)]
pub struct Spring {
    water: Mutex<u32>,
    turn: Turn<()>,
}

impl Spring {
    fn level(&self) -> u32 {
        *self.water.lock().unwrap() //~
    }

    pub async fn draw(&self) {
        let turn = self.turn.lock().await;
        while self.level() == 0 {
            sleep(Duration::from_millis(10)).await;
        }
        drop(turn);
        *self.water.lock().unwrap() -= 1; //~
    }

    pub fn rain(&self) {
        *self.water.lock().unwrap() += 1;
    }
}

/// A key that is fetched by one at a time, however often that has to be tried.
#[derive(Default)]
pub struct Keys {
    key: Mutex<Option<String>>,
    fetching: Turn<()>,
}

impl Keys {
    pub async fn renew(&self) -> Option<String> {
        let _fetching = self.fetching.lock().await;
        for attempt in 1..5 {
            if self.key.lock().unwrap().is_some() {
                return None;
            }
            if let Some(key) = fetch().await {
                *self.key.lock().unwrap() = Some(key.clone());
                return Some(key);
            }
            sleep(Duration::from_millis(attempt)).await;
        }
        None
    }
}

/// Whoever asks fetches one; the other one is lost.
#[derive(Default)]
pub struct Seals {
    seal: Mutex<Option<String>>,
    fetching: Turn<()>,
}

impl Seals {
    pub async fn renew(&self) -> Option<String> {
        drop(self.fetching.lock().await);
        for attempt in 1..5 {
            if self.seal.lock().unwrap().is_some() { //~
                return None;
            }
            if let Some(seal) = fetch().await {
                *self.seal.lock().unwrap() = Some(seal.clone()); //~
                return Some(seal);
            }
            sleep(Duration::from_millis(attempt)).await;
        }
        None
    }
}

async fn fetch() -> Option<String> {
    sleep(Duration::from_millis(1)).await;
    Some("key".to_string())
}
