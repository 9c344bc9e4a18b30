//! An old connection that ends takes the new one of the same user out.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::sync::atomic::{AtomicU64, Ordering};
#[derive(Clone)]
struct Line { epoch: u64, peer: String }
#[derive(Default)]
struct Hub { lines: Mutex<HashMap<u32, Line>>, epoch: AtomicU64 }
pub struct Connection { hub: Arc<Hub>, user: u32, epoch: u64 }
#[derive(Clone, Default)]
pub struct Gateway(Arc<Hub>);
impl Gateway {
    pub fn connect(&self, user: u32, peer: &str) -> Connection {
        let epoch = self.0.epoch.fetch_add(1, Ordering::SeqCst);
        self.0.lines.lock().unwrap().insert(user, Line { epoch, peer: peer.into() }); //~
        Connection { hub: self.0.clone(), user, epoch }
    }
    pub fn peer(&self, user: u32) -> Option<String> { self.0.lines.lock().unwrap().get(&user).map(|l| l.peer.clone()) }
}
impl Connection {
    pub fn close(self) -> bool {
        let known = self.hub.lines.lock().unwrap().get(&self.user).is_some_and(|l| l.epoch == self.epoch); //~
        known && self.hub.lines.lock().unwrap().remove(&self.user).is_some() //~
    }
}
