//! The entry is replaced first: who finds "loading" has subscribed before the message is sent.
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::{broadcast, Mutex};

enum Entry {
    Loaded(String),
    Loading(broadcast::Sender<String>),
}

#[derive(Default)]
pub struct Names {
    entries: Arc<Mutex<HashMap<u32, Entry>>>,
}

async fn look_up(user: u32) -> String {
    tokio::task::yield_now().await;
    format!("user {user}")
}

impl Names {
    pub async fn name(&self, user: u32) -> Option<String> {
        let mut entries = self.entries.lock().await;
        let mut told = match entries.get(&user) {
            Some(Entry::Loaded(name)) => return Some(name.clone()),
            Some(Entry::Loading(told)) => told.subscribe(),
            None => {
                let (tell, told) = broadcast::channel(1);
                entries.insert(user, Entry::Loading(tell.clone()));
                let all = self.entries.clone();
                tokio::spawn(async move {
                    let name = look_up(user).await;
                    all.lock().await.insert(user, Entry::Loaded(name.clone()));
                    tell.send(name.clone()).ok();
                });
                told
            }
        };
        drop(entries);
        told.recv().await.ok()
    }
}
