//! Each accepted stream makes a connection of its own, enters it in the map of all, and sets its slots; what another one sets are the slots of another connection.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;
use tokio::sync::Mutex;

type Closed = Box<dyn Fn(u64) + Send + Sync>;
pub struct Connection { id: u64, handle: Arc<Mutex<Option<u64>>>, on_close: Arc<Mutex<Option<Closed>>> }
type All = Arc<Mutex<HashMap<u64, Arc<Connection>>>>;

impl Connection {
    fn on_close(&self, f: impl Fn(u64) + Send + Sync + 'static) {
        let slot = self.on_close.clone();
        tokio::spawn(async move { *slot.lock().await = Some(Box::new(f)); });
    }
    async fn close(&self) {
        if let Some(f) = self.on_close.lock().await.as_ref() { f(self.id); }
    }
}

#[derive(Clone, Default)]
pub struct Server { all: All, next: Arc<AtomicU64> }

impl Server {
    pub async fn listen(self) -> std::io::Result<()> {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:9000").await?;
        loop {
            let (stream, _) = listener.accept().await?;
            let me = self.clone();
            tokio::spawn(async move {
                let id = me.next.fetch_add(1, Ordering::Relaxed);
                let connection = Arc::new(Connection { id, handle: Arc::default(), on_close: Arc::default() });
                *connection.handle.lock().await = Some(id * 2);
                me.all.lock().await.insert(id, connection.clone());
                connection.on_close(|id| println!("{id} is gone"));
                stream.readable().await.ok();
                if connection.handle.lock().await.is_some() { connection.close().await; }
                me.all.lock().await.remove(&id);
            });
        }
    }
    pub async fn close_all(&self) {
        let all: Vec<_> = self.all.lock().await.values().cloned().collect();
        for connection in all { connection.close().await; }
    }
}
