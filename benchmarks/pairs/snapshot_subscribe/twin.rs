//! Both under the lock that `publish` takes.
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
#[derive(Default)]
struct Feed { past: Vec<String>, listeners: Vec<Sender<String>> }
#[derive(Default)]
pub struct News { feed: Mutex<Feed> }
impl News {
    pub fn publish(&self, item: &str) {
        let mut feed = self.feed.lock().unwrap();
        feed.past.push(item.to_string());
        feed.listeners.retain(|listener| listener.send(item.to_string()).is_ok());
    }
    pub fn follow(&self) -> (Vec<String>, Receiver<String>) {
        let (send, items) = channel();
        let mut feed = self.feed.lock().unwrap();
        let past = feed.past.clone();
        feed.listeners.push(send);
        (past, items)
    }
}
