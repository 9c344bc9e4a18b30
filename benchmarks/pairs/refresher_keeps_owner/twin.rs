//! The task that refreshes has a weak pointer to what it refreshes, and ends when all clients are dropped.
use std::sync::{Arc, RwLock};
use std::time::Duration;
#[derive(Clone)]
pub struct Client { flags: Arc<RwLock<Vec<String>>>, every: Duration }
impl Client {
    pub async fn build(every: Duration) -> Client {
        let client = Client { flags: Arc::default(), every };
        client.refresh().await;
        client.start_refresh();
        client
    }
    pub async fn refresh(&self) {
        let fresh = fetch().await;
        *self.flags.write().unwrap() = fresh;
    }
    fn start_refresh(&self) {
        let (flags, every) = (Arc::downgrade(&self.flags), self.every);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(every).await;
                let Some(flags) = flags.upgrade() else { return };
                Client { flags, every }.refresh().await;
            }
        });
    }
    pub fn is_on(&self, name: &str) -> bool { self.flags.read().unwrap().iter().any(|f| f == name) }
}
async fn fetch() -> Vec<String> {
    tokio::time::sleep(Duration::from_millis(1)).await;
    vec![]
}
