// An executable. The handler's own two tasks write one place; which one is last decides the answer.
use std::sync::Arc;
use tokio::sync::Mutex;

struct Origin;
impl Origin { async fn fetch(&self, path: &str) -> String { tokio::time::sleep(std::time::Duration::from_millis(5)).await; path.to_uppercase() } }

async fn lookup(path: String) -> Option<String> { tokio::fs::read_to_string(path).await.ok() }

async fn handle(path: String, origin: Arc<Origin>) -> String {
    let body = Arc::new(Mutex::new(String::new()));
    let (a, b) = (body.clone(), body.clone());
    let cached_path = path.clone();
    let cached = tokio::spawn(async move { if let Some(text) = lookup(cached_path).await { *a.lock().await = text; } }); //~
    let fresh = tokio::spawn(async move { let text = origin.fetch(&path).await; *b.lock().await = text; }); //~
    let _ = cached.await;
    let _ = fresh.await;
    let body = body.lock().await.clone();
    body
}

#[tokio::main]
async fn main() {
    let origin = Arc::new(Origin);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    while let Ok((_socket, from)) = listener.accept().await {
        println!("{}", handle(from.to_string(), origin.clone()).await);
    }
}
