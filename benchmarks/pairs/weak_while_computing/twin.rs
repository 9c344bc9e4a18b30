//! As long as the running computation holds what the slot has a `Weak` of, nobody else starts or stores.
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
    pub async fn get(&self) -> Option<u64> {
        let (tell, mut told) = {
            let mut slot = self.slot.lock().unwrap();
            match &*slot {
                Slot::Value(value) => return Some(*value),
                Slot::Running(running) => match running.upgrade() {
                    Some(running) => (None, running.subscribe()),
                    None => {
                        let (tell, told) = broadcast::channel(1);
                        let tell = Arc::new(tell);
                        *slot = Slot::Running(Arc::downgrade(&tell));
                        (Some(tell), told)
                    }
                },
            }
        };
        if let Some(tell) = tell {
            let value = compute().await;
            *self.slot.lock().unwrap() = Slot::Value(value);
            tell.send(value).ok();
            return Some(value);
        }
        told.recv().await.ok()
    }
}
