//! A dead connection is taken out under the lock that it was looked at under; who makes one enters it unless there is one by then, and otherwise uses its own once.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;

#[derive(Clone)]
pub struct Connection(Arc<u64>);

#[derive(Clone, Default)]
pub struct Pool {
    shared: Arc<Mutex<HashMap<String, Connection>>>,
}

async fn alive(connection: &Connection) -> bool {
    tokio::task::yield_now().await;
    *connection.0 != 7
}

async fn connect(host: &str) -> Connection {
    tokio::task::yield_now().await;
    Connection(Arc::new(host.len() as u64))
}

impl Pool {
    async fn get(&self, host: &str) -> Option<Connection> {
        let mut shared = self.shared.lock().await;
        let connection = shared.get(host).cloned()?;
        if alive(&connection).await {
            return Some(connection);
        }
        shared.remove(host);
        None
    }
    pub async fn send(&self, host: &str, request: u64) -> u64 {
        if let Some(connection) = self.get(host).await {
            return *connection.0 ^ request;
        }
        let connection = connect(host).await;
        self.shared.lock().await.entry(host.to_string()).or_insert(connection.clone());
        *connection.0 ^ request
    }
}
