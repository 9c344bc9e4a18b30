//! The task takes the lock again and writes what was read before.
use std::sync::Arc;
use tokio::sync::Mutex;
pub struct Page { revision: u64, text: String }
#[derive(Clone)]
pub struct Wiki { page: Arc<Mutex<Page>> }
async fn render(text: &str) -> String { tokio::task::yield_now().await; text.trim().to_uppercase() }
impl Wiki {
    pub fn new() -> Self { Wiki { page: Arc::new(Mutex::new(Page { revision: 0, text: String::new() })) } }
    pub async fn save(&self, text: String) -> u64 {
        let page = self.page.clone().lock_owned().await;
        let revision = page.revision + 1; //~
        drop(page);
        let shared = self.page.clone();
        let saved = tokio::spawn(async move {
            let text = render(&text).await;
            let mut page = shared.lock().await;
            page.text = text;
            page.revision = revision; //~
        });
        saved.await.map_or(0, |()| revision)
    }
    pub async fn read(&self) -> (u64, String) { let page = self.page.lock().await; (page.revision, page.text.clone()) }
}
