//! What could not be sent is put back, beside what has come in meanwhile; or in its place.

use std::collections::{HashMap, HashSet};

use tokio::sync::Mutex;

async fn send(of: &str, items: &[String]) -> bool {
    tokio::task::yield_now().await;
    of.len() > items.len()
}

#[derive(Default)]
pub struct Beside {
    unsent: Mutex<HashMap<String, HashSet<String>>>,
}

impl Beside {
    pub async fn add(&self, of: &str, item: String) {
        self.unsent.lock().await.entry(of.to_string()).or_default().insert(item);
    }

    pub async fn flush(&self) {
        let all = std::mem::take(&mut *self.unsent.lock().await);
        for (of, items) in all {
            let items: Vec<String> = items.into_iter().collect();
            if !send(&of, &items).await {
                self.unsent.lock().await.entry(of).or_default().extend(items);
            }
        }
    }
}

#[derive(Default)]
pub struct InPlace {
    unsent: Mutex<HashMap<String, HashSet<String>>>,
}

impl InPlace {
    pub async fn add(&self, of: &str, item: String) {
        self.unsent.lock().await.entry(of.to_string()).or_default().insert(item); //~
    }

    pub async fn flush(&self) {
        let all = std::mem::take(&mut *self.unsent.lock().await); //~
        for (of, items) in all {
            let list: Vec<String> = items.iter().cloned().collect();
            if !send(&of, &list).await {
                self.unsent.lock().await.insert(of, items); //~
            }
        }
    }
}
