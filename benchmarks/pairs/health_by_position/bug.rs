//! The answer of a host is noted by its position in a copy of the list: the list may have been replaced meanwhile, so that another host gets it, or the index panics.
use std::sync::RwLock;
pub struct Host { pub name: String, pub up: bool }
#[derive(Default)]
pub struct Balancer { hosts: RwLock<Vec<Host>> }
impl Balancer {
    pub fn set(&self, names: Vec<String>) {
        *self.hosts.write().unwrap() = names.into_iter().map(|name| Host { name, up: true }).collect(); //~
    }
    pub async fn check(&self) {
        let names: Vec<String> = self.hosts.read().unwrap().iter().map(|h| h.name.clone()).collect(); //~
        for (i, name) in names.iter().enumerate() {
            let up = ask(name).await;
            self.hosts.write().unwrap()[i].up = up; //~
        }
    }
    pub fn pick(&self) -> Option<String> { self.hosts.read().unwrap().iter().find(|h| h.up).map(|h| h.name.clone()) }
}
async fn ask(name: &str) -> bool {
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    !name.is_empty()
}
