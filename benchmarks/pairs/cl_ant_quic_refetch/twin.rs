// ant-quic 0.25.2: the reader gets the connection that was entered.
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

    pub fn get(&self, peer: u64) -> Option<Arc<Connection>> {
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
        let for_reader = connection.clone();
        self.add(peer, connection);
        self.spawn_reader(peer, for_reader);
    }

    pub fn accept(&self, peer: u64, rx: mpsc::Receiver<u64>) {
        let connection = Self::open(rx);
        let for_reader = connection.clone();
        self.add(peer, connection);
        self.spawn_reader(peer, for_reader);
    }
}
