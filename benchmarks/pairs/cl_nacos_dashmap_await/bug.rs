// nacos-sdk 0.2.x (fixed by pull request 173, June 2023), src/common/cache/mod.rs: a `Ref` of a DashMap lives across an `.await`: whoever changes
// the map on the same worker meanwhile blocks the thread that would have to go on.
use dashmap::DashMap;
use std::sync::Arc;
use tokio::sync::mpsc;

#[derive(Clone)]
pub struct Store;

impl Store {
    async fn save(&self, _key: &str, _value: Vec<u8>) {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
}

#[derive(Clone)]
pub struct Cache {
    entries: Arc<DashMap<String, String>>,
    changed: mpsc::Sender<String>,
}

impl Cache {
    pub fn new() -> Cache {
        let (changed, mut rx) = mpsc::channel::<String>(16);
        let entries: Arc<DashMap<String, String>> = Default::default();
        let of_task = entries.clone();
        let store = Store;
        tokio::spawn(async move {
            while let Some(key) = rx.recv().await {
                let data = of_task.get(&key);
                if let Some(data) = data {
                    let value = data.value().clone().into_bytes();
                    store.save(key.as_str(), value).await;
                }
            }
        });
        Cache { entries, changed }
    }

    pub async fn put(&self, key: &str, value: &str) {
        self.entries.insert(key.to_string(), value.to_string());
        let _ = self.changed.send(key.to_string()).await;
    }
}
