use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::RwLock;

/// A seat in the gallery costs this much.
pub const PRICE: u32 = 40;

pub struct Hall {
    /// Seats left.
    left: Mutex<u32>,
    redeemed: Mutex<HashSet<String>>,
    tickets: RwLock<HashMap<u64, String>>,
    visits: Mutex<HashMap<String, Instant>>,
    numbers: AtomicU64,
}

impl Hall {
    pub fn new(seats: u32) -> Hall {
        Hall {
            left: Mutex::new(seats),
            redeemed: Mutex::default(),
            tickets: RwLock::default(),
            visits: Mutex::default(),
            numbers: AtomicU64::new(1),
        }
    }

    pub fn left(&self) -> u32 {
        *self.left.lock().unwrap() //~
    }

    pub fn take(&self) {
        *self.left.lock().unwrap() -= 1; //~
    }

    /// Hands a ticket out, and tells its number.
    pub async fn issue(&self, buyer: String) -> u64 {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        self.tickets.write().await.insert(number, buyer);
        number
    }

    pub async fn holder(&self, number: u64) -> Option<String> {
        self.tickets.read().await.get(&number).cloned()
    }

    pub fn is_redeemed(&self, code: &str) -> bool {
        self.redeemed.lock().unwrap().contains(code) //~
    }

    pub fn note(&self, code: String) {
        self.redeemed.lock().unwrap().insert(code); //~
    }

    pub fn visit(&self, who: String) {
        self.visits.lock().unwrap().insert(who, Instant::now());
    }

    /// Forgets visitors who have gone.
    pub fn sweep(&self) {
        self.visits.lock().unwrap().retain(|_, seen| seen.elapsed() < Duration::from_secs(600));
    }
}
