//! Channels of tokio on which everybody is told: who subscribes after a look has missed what came in between.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{broadcast, watch};

/// The last order is cooked, and said to be, between the look and the subscription.
pub struct Kitchen {
    orders: Mutex<VecDeque<u64>>,
    done: watch::Sender<()>,
}

impl Kitchen {
    pub fn new() -> Self {
        Self { orders: Mutex::default(), done: watch::channel(()).0 }
    }

    pub fn order(&self, meal: u64) {
        self.orders.lock().unwrap().push_back(meal);
    }

    pub fn cook(&self) -> Option<u64> {
        let mut orders = self.orders.lock().unwrap();
        let meal = orders.pop_front(); //~
        if orders.is_empty() {
            self.done.send_replace(()); //~
        }
        meal
    }

    fn is_idle(&self) -> bool {
        self.orders.lock().unwrap().is_empty() //~
    }

    pub async fn idle(&self) {
        if self.is_idle() {
            return;
        }
        self.done.subscribe().changed().await.ok(); //~
    }
}

/// It subscribes before it looks.
pub struct Bakery {
    orders: Mutex<VecDeque<u64>>,
    done: watch::Sender<()>,
}

impl Bakery {
    pub fn new() -> Self {
        Self { orders: Mutex::default(), done: watch::channel(()).0 }
    }

    pub fn order(&self, bread: u64) {
        self.orders.lock().unwrap().push_back(bread);
    }

    pub fn bake(&self) -> Option<u64> {
        let mut orders = self.orders.lock().unwrap();
        let bread = orders.pop_front();
        if orders.is_empty() {
            self.done.send_replace(());
        }
        bread
    }

    fn is_idle(&self) -> bool {
        self.orders.lock().unwrap().is_empty()
    }

    pub async fn idle(&self) {
        let mut done = self.done.subscribe();
        if self.is_idle() {
            return;
        }
        done.changed().await.ok();
    }
}

/// What is on the watch is looked at behind the subscription.
pub struct Oven {
    hot: watch::Sender<bool>,
}

impl Oven {
    pub fn new() -> Self {
        Self { hot: watch::channel(false).0 }
    }

    pub fn heat(&self) {
        self.hot.send_replace(true);
    }

    pub async fn heated(&self) {
        if *self.hot.borrow() {
            return;
        }
        let mut hot = self.hot.subscribe();
        while !*hot.borrow_and_update() {
            if hot.changed().await.is_err() {
                return;
            }
        }
    }

    /// Whoever gets it can look at it.
    pub fn watch(&self) -> Option<watch::Receiver<bool>> {
        if *self.hot.borrow() {
            return None;
        }
        Some(self.hot.subscribe())
    }
}

/// "Online" is said between the look and the subscription.
pub struct Modem {
    online: AtomicBool,
    changes: broadcast::Sender<bool>,
}

impl Modem {
    pub fn new() -> Self {
        Self { online: AtomicBool::new(false), changes: broadcast::channel(16).0 }
    }

    pub fn set_online(&self, online: bool) {
        self.online.store(online, Ordering::SeqCst); //~
        self.changes.send(online).ok(); //~
    }

    pub async fn wait_online(&self, longest: Duration) {
        if self.online.load(Ordering::SeqCst) { //~
            return;
        }
        let mut changes = self.changes.subscribe(); //~
        let heard = async {
            while let Ok(online) = changes.recv().await {
                if online {
                    break;
                }
            }
        };
        tokio::time::timeout(longest, heard).await.ok();
    }
}

/// It looks once more when it has subscribed.
pub struct Router {
    online: AtomicBool,
    changes: broadcast::Sender<bool>,
}

impl Router {
    pub fn new() -> Self {
        Self { online: AtomicBool::new(false), changes: broadcast::channel(16).0 }
    }

    pub fn set_online(&self, online: bool) {
        self.online.store(online, Ordering::SeqCst);
        self.changes.send(online).ok();
    }

    pub async fn wait_online(&self, longest: Duration) {
        let mut changes = self.changes.subscribe();
        if self.online.load(Ordering::SeqCst) {
            return;
        }
        let heard = async {
            while let Ok(online) = changes.recv().await {
                if online {
                    break;
                }
            }
        };
        tokio::time::timeout(longest, heard).await.ok();
    }
}
