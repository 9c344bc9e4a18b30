//! Channels: what each message starts runs beside what the next one starts.
use std::sync::{Arc, Mutex};

use tokio::sync::{broadcast, mpsc};

#[derive(Clone, Default)]
pub struct State {
    seen: Arc<Mutex<Vec<u64>>>,
    fine: Arc<Mutex<Vec<u64>>>,
}

impl State {
    async fn note(&self, value: u64) {
        let known = self.seen.lock().unwrap().contains(&value); //~
        tokio::task::yield_now().await;
        if !known {
            self.seen.lock().unwrap().insert(0, value); //~
        }
    }

    fn note_well(&self, value: u64) {
        let mut fine = self.fine.lock().unwrap();
        if !fine.contains(&value) {
            fine.insert(0, value);
        }
    }
}

pub async fn flume(receiver: flume::Receiver<u64>, state: State) {
    while let Ok(value) = receiver.recv_async().await {
        let state = state.clone();
        tokio::spawn(async move { state.note(value).await });
    }
}

pub async fn channel(receiver: async_channel::Receiver<u64>, state: State) {
    while let Ok(value) = receiver.recv().await {
        let state = state.clone();
        tokio::spawn(async move { state.note(value).await });
    }
}

pub async fn mpsc(mut receiver: mpsc::Receiver<u64>, state: State) {
    while let Some(value) = receiver.recv().await {
        let state = state.clone();
        tokio::spawn(async move { state.note_well(value) });
    }
}

pub async fn broadcast(mut receiver: broadcast::Receiver<u64>, state: State) {
    while let Ok(value) = receiver.recv().await {
        let state = state.clone();
        tokio::spawn(async move { state.note_well(value) });
    }
}

/// Adding up commutes, whoever listens.
pub struct Listeners {
    sender: broadcast::Sender<u64>,
    total: Mutex<u64>,
}

impl Listeners {
    pub fn announce(&self, value: u64) {
        let _ = self.sender.send(value);
    }

    pub async fn listen(&self) {
        let mut receiver = self.sender.subscribe();
        while let Ok(value) = receiver.recv().await {
            *self.total.lock().unwrap() += value;
        }
    }
}
