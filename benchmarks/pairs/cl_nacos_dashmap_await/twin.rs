// nacos-sdk after pull request 173: the `Ref` is dropped before the `.await`.
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
                let value = of_task.get(&key).map(|data| data.value().clone().into_bytes());
                if let Some(value) = value {
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
