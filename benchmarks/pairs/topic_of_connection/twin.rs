//! The counter is removed under the lock that it was counted down to 0 under.
use std::collections::HashMap;
use std::sync::Mutex;

pub enum Message {
    Open(u32),
    Text(String),
    Close,
}

#[derive(Default)]
pub struct Hub {
    listeners: Mutex<HashMap<u32, usize>>,
}

impl Hub {
    fn enter(&self, topic: u32) {
        *self.listeners.lock().unwrap().entry(topic).or_insert(0) += 1;
    }
    fn leave(&self, topic: u32) {
        let mut listeners = self.listeners.lock().unwrap();
        if let Some(count) = listeners.get_mut(&topic) {
            *count -= 1;
            if *count == 0 {
                listeners.remove(&topic);
            }
        }
    }
    pub fn listeners(&self, topic: u32) -> usize {
        self.listeners.lock().unwrap().get(&topic).copied().unwrap_or(0)
    }
    pub fn serve(&self, next: impl Fn() -> Message) {
        let mut topic: Option<u32> = None;
        loop {
            match next() {
                Message::Open(id) => {
                    if topic.is_none() {
                        self.enter(id);
                        topic = Some(id);
                    }
                }
                Message::Text(text) => println!("{text}"),
                Message::Close => {
                    if let Some(id) = topic.as_ref() {
                        self.leave(*id);
                    }
                    break;
                }
            }
        }
    }
}
