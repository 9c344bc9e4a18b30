//! Loops that are run side by side for as long as an object is there are run once for it, as one of them is.

use std::sync::{Arc, Mutex};
use tokio::sync::watch;

pub struct System {
    cached: Mutex<Option<Vec<u8>>>,
    peers: Mutex<Vec<u8>>,
}

impl System {
    pub fn new() -> Arc<System> {
        Arc::new(System { cached: Mutex::new(None), peers: Mutex::default() })
    }

    pub fn add(&self, peer: u8) {
        self.peers.lock().unwrap().push(peer);
    }

    pub async fn run(self: Arc<Self>, stop: watch::Receiver<bool>) {
        tokio::join!(self.discovery_loop(stop.clone()), self.status_loop(stop.clone()));
    }

    async fn discovery_loop(self: &Arc<Self>, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            let list = self.peers.lock().unwrap().clone();
            let known = self.cached.lock().unwrap().clone();
            if known.as_ref() != Some(&list) {
                if tokio::fs::write("peers", &list).await.is_ok() {
                    *self.cached.lock().unwrap() = Some(list);
                }
            }
            tokio::select! {
                _ = tokio::time::sleep(std::time::Duration::from_secs(60)) => {}
                _ = stop.changed() => {}
            }
        }
    }

    async fn status_loop(&self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            println!("{}", self.peers.lock().unwrap().len());
            let _ = stop.changed().await;
        }
    }
}

/// Whoever adds something goes by an earlier look, beside the loop.
pub struct Adds {
    cached: Mutex<Option<Vec<u8>>>,
}

impl Adds {
    pub fn new() -> Arc<Adds> {
        Arc::new(Adds { cached: Mutex::new(None) })
    }

    pub fn add(&self, peer: u8) {
        let known = self.cached.lock().unwrap().clone(); //~
        let mut known = known.unwrap_or_default();
        known.push(peer);
        *self.cached.lock().unwrap() = Some(known); //~
    }

    pub async fn run(self: Arc<Self>, stop: watch::Receiver<bool>) {
        tokio::join!(self.discovery_loop(stop.clone()), self.status_loop(stop.clone()));
    }

    async fn discovery_loop(&self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            *self.cached.lock().unwrap() = tokio::fs::read("peers").await.ok(); //~
            let _ = stop.changed().await;
        }
    }

    async fn status_loop(&self, mut stop: watch::Receiver<bool>) {
        while !*stop.borrow() {
            println!("{}", self.cached.lock().unwrap().is_some());
            let _ = stop.changed().await;
        }
    }
}
