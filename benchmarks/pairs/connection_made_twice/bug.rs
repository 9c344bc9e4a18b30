//! Who finds no connection makes one and puts it in, whatever is there by then: of two that are made the first is replaced while it is in use, and a dead one that is taken out may be the live one of another.
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
        let connection = self.shared.lock().await.get(host).cloned()?; //~
        if alive(&connection).await {
            return Some(connection);
        }
        self.shared.lock().await.remove(host); //~
        None
    }
    pub async fn send(&self, host: &str, request: u64) -> u64 {
        if let Some(connection) = self.get(host).await {
            return *connection.0 ^ request;
        }
        let connection = connect(host).await;
        self.shared.lock().await.insert(host.to_string(), connection.clone()); //~
        *connection.0 ^ request
    }
}
