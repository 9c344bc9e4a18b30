//! A follower is entered among the listeners while the items that it gets are still locked: what is added is in its list or told to it.
use std::sync::{mpsc, Mutex};
#[derive(Default)]
pub struct Feed { items: Mutex<Vec<String>>, listeners: Mutex<Vec<mpsc::Sender<String>>> }
impl Feed {
    pub fn add(&self, item: String) {
        let mut items = self.items.lock().unwrap();
        items.push(item.clone());
        self.listeners.lock().unwrap().retain(|l| l.send(item.clone()).is_ok());
    }
    pub fn follow(&self) -> (Vec<String>, mpsc::Receiver<String>) {
        let items = self.items.lock().unwrap();
        let (send, news) = mpsc::channel();
        self.listeners.lock().unwrap().push(send);
        (items.clone(), news)
    }
}
