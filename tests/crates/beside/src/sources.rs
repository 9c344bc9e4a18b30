//! Tasks that one handler starts and waits for: which of them is last decides what it answers, be it that they read files meanwhile.

use std::sync::Arc;

use tokio::sync::Mutex;

async fn read(path: &str) -> Option<String> {
    tokio::fs::read_to_string(path).await.ok()
}

pub struct Pages;

impl Pages {
    pub async fn either(&self, path: String) -> String {
        let body = Arc::new(Mutex::new(String::new()));
        let (one, other) = (body.clone(), body.clone());
        let of_file = path.clone();
        let cached = tokio::spawn(async move {
            if let Some(text) = read(&of_file).await {
                *one.lock().await = text; //~
            }
        });
        let fresh = tokio::spawn(async move {
            *other.lock().await = path.to_uppercase(); //~
        });
        let _ = cached.await;
        let _ = fresh.await;
        body.lock().await.clone()
    }

    /// Each has a place of its own, or what comes later is started later.
    pub async fn both(&self, path: String) -> String {
        let (head, body) = (Arc::new(Mutex::new(String::new())), Arc::new(Mutex::new(String::new())));
        let (one, other, again) = (head.clone(), body.clone(), body.clone());
        let (of_file, rest) = (path.clone(), path.clone());
        let cached = tokio::spawn(async move {
            if let Some(text) = read(&of_file).await {
                *one.lock().await = text;
            }
        });
        let fresh = tokio::spawn(async move {
            *other.lock().await = rest.to_uppercase();
        });
        let _ = fresh.await;
        let _ = cached.await;
        let last = tokio::spawn(async move {
            if let Some(text) = read(&path).await {
                *again.lock().await = text;
            }
        });
        let _ = last.await;
        let head = head.lock().await.clone();
        head + &body.lock().await
    }
}
