//! The slot has a `Weak` of what the running computation holds, so that only one runs; but who throws the value away in between lets a second one start, and the first stores its old value over it.
use std::sync::{Arc, Mutex, Weak};
use tokio::sync::broadcast;

enum Slot {
    Value(u64),
    Running(Weak<broadcast::Sender<u64>>),
}

#[derive(Clone)]
pub struct Cached {
    slot: Arc<Mutex<Slot>>,
}

async fn compute() -> u64 {
    tokio::task::yield_now().await;
    42
}

impl Cached {
    pub fn new() -> Self {
        Self { slot: Arc::new(Mutex::new(Slot::Running(Weak::new()))) }
    }
    pub fn invalidate(&self) {
        *self.slot.lock().unwrap() = Slot::Running(Weak::new()); //~
    }
    pub async fn get(&self) -> Option<u64> {
        let (tell, mut told) = {
            let mut slot = self.slot.lock().unwrap();
            match &*slot { //~
                Slot::Value(value) => return Some(*value),
                Slot::Running(running) => match running.upgrade() {
                    Some(running) => (None, running.subscribe()),
                    None => {
                        let (tell, told) = broadcast::channel(1);
                        let tell = Arc::new(tell);
                        *slot = Slot::Running(Arc::downgrade(&tell)); //~
                        (Some(tell), told)
                    }
                },
            }
        };
        if let Some(tell) = tell {
            let value = compute().await;
            *self.slot.lock().unwrap() = Slot::Value(value); //~
            tell.send(value).ok();
            return Some(value);
        }
        told.recv().await.ok()
    }
}
