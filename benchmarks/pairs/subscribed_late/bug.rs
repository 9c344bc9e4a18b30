//! A follower gets the items as they are and subscribes afterwards: what is added in between is neither in its list nor told to it.
use std::sync::Mutex;
use tokio::sync::broadcast;
pub struct Feed { items: Mutex<Vec<String>>, news: broadcast::Sender<String> }
impl Feed {
    pub fn new() -> Self { Self { items: Mutex::default(), news: broadcast::channel(16).0 } }
    pub fn add(&self, item: String) {
        let mut items = self.items.lock().unwrap();
        items.push(item.clone()); //~
        self.news.send(item).ok(); //~
    }
    pub fn follow(&self) -> (Vec<String>, broadcast::Receiver<String>) {
        let items = self.items.lock().unwrap().clone(); //~
        (items, self.news.subscribe()) //~
    }
}
