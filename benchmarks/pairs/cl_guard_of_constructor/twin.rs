// Repaired: nothing is held across the `.await`.
use dashmap::DashMap;
use std::sync::Arc;
#[derive(Clone)]
pub struct Cache { entries: Arc<DashMap<String, String>> }
async fn save(_v: &str) { tokio::time::sleep(std::time::Duration::from_millis(5)).await; }
impl Cache {
    pub fn new() -> Cache {
        let entries: Arc<DashMap<String, String>> = Arc::new(DashMap::new());
        let of_task = entries.clone();
        tokio::spawn(async move {
            let data = of_task.get("x").map(|d| d.value().clone());
            if let Some(data) = data {
                save(&data).await;
            }
        });
        Cache { entries }
    }
    pub async fn put(&self, key: &str) { self.entries.insert(key.to_string(), String::new()); }
}
