//! A free port is looked for and entered under one lock, used, and given back: it is the caller's own until then, and what others take and give back is other ports.
use std::collections::BTreeSet;
use std::sync::Mutex;
#[derive(Default)]
pub struct Ports { used: Mutex<BTreeSet<u16>> }
impl Ports {
    fn take(&self) -> Option<u16> {
        let mut used = self.used.lock().unwrap();
        let free = (1024..=u16::MAX).find(|n| !used.contains(n))?;
        used.insert(free);
        Some(free)
    }
    fn give_back(&self, port: u16) { self.used.lock().unwrap().remove(&port); }
    pub async fn with_port(&self) -> Option<String> {
        let port = self.take()?;
        let answer = work(port).await;
        self.give_back(port);
        Some(answer)
    }
}
async fn work(port: u16) -> String {
    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    format!("served on {port}")
}
