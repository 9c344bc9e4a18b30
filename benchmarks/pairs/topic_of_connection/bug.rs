//! Which topic a connection is about comes with a message and is kept in a local; at the end the last one counts down to 0 and then removes the counter, which another connection may have counted up by then.
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
        *self.listeners.lock().unwrap().entry(topic).or_insert(0) += 1; //~
    }
    fn leave(&self, topic: u32) -> usize {
        let mut listeners = self.listeners.lock().unwrap();
        let count = listeners.entry(topic).or_insert(1);
        *count -= 1;
        *count //~
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
                        if self.leave(*id) == 0 {
                            self.listeners.lock().unwrap().remove(id); //~
                        }
                    }
                    break;
                }
            }
        }
    }
}
