// ant-quic 0.25.1 (fixed in 0.25.2, commit 7d9bd64a), src/p2p_endpoint.rs: `connect` enters its connection under the peer's id and then looks
// the id up again for the task that reads; `accept` may have replaced the entry: nobody reads from the first, two read from the second.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

pub struct Connection {
    incoming: Mutex<mpsc::Receiver<u64>>,
}

#[derive(Clone, Default)]
pub struct Endpoint {
    connections: Arc<Mutex<HashMap<u64, Arc<Connection>>>>,
    readers: Arc<Mutex<HashMap<u64, Arc<Connection>>>>,
}

impl Endpoint {
    fn add(&self, peer: u64, connection: Arc<Connection>) {
        self.connections.lock().unwrap().insert(peer, connection);
    }

    fn get(&self, peer: u64) -> Option<Arc<Connection>> {
        self.connections.lock().unwrap().get(&peer).cloned()
    }

    fn spawn_reader(&self, peer: u64, connection: Arc<Connection>) {
        self.readers.lock().unwrap().insert(peer, connection.clone());
        tokio::spawn(async move {
            let _first = connection.incoming.lock().unwrap().try_recv();
        });
    }

    fn open(rx: mpsc::Receiver<u64>) -> Arc<Connection> {
        Arc::new(Connection { incoming: Mutex::new(rx) })
    }

    pub fn connect(&self, peer: u64, rx: mpsc::Receiver<u64>) {
        let connection = Self::open(rx);
        self.add(peer, connection);
        if let Some(connection) = self.get(peer) {
            self.spawn_reader(peer, connection);
        }
    }

    pub fn accept(&self, peer: u64, rx: mpsc::Receiver<u64>) {
        let connection = Self::open(rx);
        self.add(peer, connection);
        if let Some(connection) = self.get(peer) {
            self.spawn_reader(peer, connection);
        }
    }
}
