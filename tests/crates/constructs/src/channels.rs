//! Channels: an iteration of a loop that receives is an event.
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
pub struct State {
    seen: Arc<Mutex<Vec<u64>>>,
}

impl State {
    async fn note(&self, value: u64) {
        let known = self.seen.lock().unwrap().contains(&value); //~
        tokio::task::yield_now().await;
        if !known {
            self.seen.lock().unwrap().insert(0, value); //~
        }
    }
}

pub async fn flume(receiver: flume::Receiver<u64>, state: State) {
    while let Ok(value) = receiver.recv_async().await {
        let state = state.clone();
        tokio::spawn(async move { state.note(value).await });
    }
}
