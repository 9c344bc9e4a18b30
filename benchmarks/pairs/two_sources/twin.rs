// An executable. The handler's own two tasks write one place; which one is last decides the answer.
use std::sync::Arc;
use tokio::sync::Mutex;

struct Origin;
impl Origin { async fn fetch(&self, path: &str) -> String { tokio::time::sleep(std::time::Duration::from_millis(5)).await; path.to_uppercase() } }

async fn lookup(path: String) -> Option<String> { tokio::fs::read_to_string(path).await.ok() }

async fn handle(path: String, origin: Arc<Origin>) -> String {
    let cached_path = path.clone();
    let cached = tokio::spawn(async move { lookup(cached_path).await });
    let fresh = tokio::spawn(async move { origin.fetch(&path).await });
    let cached = cached.await.ok().flatten();
    let fresh = fresh.await.unwrap_or_default();
    cached.unwrap_or(fresh)
}

#[tokio::main]
async fn main() {
    let origin = Arc::new(Origin);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    while let Ok((_socket, from)) = listener.accept().await {
        println!("{}", handle(from.to_string(), origin.clone()).await);
    }
}
