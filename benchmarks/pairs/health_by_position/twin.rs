//! The answer of a host is noted by its name, if the host is still there.
use std::sync::RwLock;
pub struct Host { pub name: String, pub up: bool }
#[derive(Default)]
pub struct Balancer { hosts: RwLock<Vec<Host>> }
impl Balancer {
    pub fn set(&self, names: Vec<String>) {
        *self.hosts.write().unwrap() = names.into_iter().map(|name| Host { name, up: true }).collect();
    }
    pub async fn check(&self) {
        let names: Vec<String> = self.hosts.read().unwrap().iter().map(|h| h.name.clone()).collect();
        for name in names {
            let up = ask(&name).await;
            if let Some(host) = self.hosts.write().unwrap().iter_mut().find(|h| h.name == name) {
                host.up = up;
            }
        }
    }
    pub fn pick(&self) -> Option<String> { self.hosts.read().unwrap().iter().find(|h| h.up).map(|h| h.name.clone()) }
}
async fn ask(name: &str) -> bool {
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    !name.is_empty()
}
