// Reduced from nacos-sdk 0.2.x (pull request 173): a task that a constructor starts holds a `Ref` of the map across an `.await`; the map is then in
// what the constructor returns. Started by a method (`&self`), the same is warned of.
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
            if let Some(data) = of_task.get("x") {
                save(data.value()).await;
            }
        });
        Cache { entries }
    }
    pub async fn put(&self, key: &str) { self.entries.insert(key.to_string(), String::new()); }
}
