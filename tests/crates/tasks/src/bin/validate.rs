//! Looked up, then awaited, then stored: the answer may be old by then.
use std::collections::HashMap;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::sync::RwLock;

#[derive(Clone, Default)]
struct State {
    quotes: Arc<RwLock<HashMap<u64, u64>>>,
}

async fn validate(id: u64) -> u64 {
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    id + 1
}

async fn store(state: State, id: u64) -> bool {
    if state.quotes.read().await.contains_key(&id) {
        return false;
    }
    let quote = validate(id).await;
    state.quotes.write().await.insert(id, quote);
    true
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let state = State::default();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    loop {
        let (_socket, address) = listener.accept().await?;
        let state = state.clone();
        tokio::spawn(async move { store(state, address.port() as u64).await });
    }
}
