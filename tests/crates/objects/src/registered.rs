//! What each call makes, enters among all others behind an asynchronous lock, and then works on: the lock's guard leads to the collection, and
//! who puts something into that has not changed what is behind the pointers in it.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{Mutex, RwLock};

/// A boat of a harbour.
pub struct Boat {
    number: u64,
    cargo: Arc<Mutex<Option<u64>>>,
    pilot: Arc<Mutex<Option<String>>>,
}

/// Each boat is moored by the call that it came with.
#[derive(Clone, Default)]
pub struct Harbour {
    boats: Arc<Mutex<HashMap<u64, Arc<Boat>>>>,
}

impl Harbour {
    /// Only its own call changes a boat.
    pub async fn moor(&self, number: u64) {
        let boat = Arc::new(Boat { number, cargo: Arc::default(), pilot: Arc::default() });
        self.boats.lock().await.insert(boat.number, boat.clone());
        let pilot = boat.pilot.clone();
        tokio::spawn(async move { *pilot.lock().await = Some("Ann".to_string()) });
        if boat.cargo.lock().await.is_none() {
            weigh().await;
            *boat.cargo.lock().await = Some(number * 2);
        }
    }

    /// Whether a boat is there.
    pub async fn has(&self, number: u64) -> bool {
        self.boats.lock().await.contains_key(&number)
    }
}

/// Buoys are found by whoever knows their name.
#[derive(Clone, Default)]
pub struct Channel {
    buoys: Arc<RwLock<HashMap<String, Arc<RwLock<u64>>>>>,
}

impl Channel {
    /// Lays one out, and only then lights it.
    pub async fn lay(&self, name: &str) {
        let buoy = Arc::new(RwLock::new(0));
        self.buoys.write().await.insert(name.to_string(), buoy.clone());
        let light = *buoy.read().await; //~
        weigh().await;
        *buoy.write().await = light + 1; //~
    }

    /// Others may find it as soon as it is there.
    pub async fn brighten(&self, name: &str) {
        let buoy = self.buoys.read().await.get(name).cloned();
        if let Some(buoy) = buoy {
            let light = *buoy.read().await; //~
            weigh().await;
            *buoy.write().await = light + 10; //~
        }
    }
}

async fn weigh() {
    std::future::ready(()).await;
}
