// A page is read, changed by a slow program, and written back; the version tells whether somebody else was faster.
use std::collections::HashMap;
use tokio::sync::RwLock;

#[derive(Clone, Default)]
pub struct Page { text: String, version: u64 }

#[derive(Default)]
pub struct Wiki { pages: RwLock<HashMap<String, Page>> }

async fn reformat(text: String) -> String { tokio::task::yield_now().await; text.replace("\t", "    ") }

impl Wiki {
    pub async fn save(&self, name: &str, text: String) {
        let mut pages = self.pages.write().await;
        let page = pages.entry(name.to_string()).or_default();
        page.text = text;
        page.version += 1;
    }
    pub async fn read(&self, name: &str) -> Option<String> { self.pages.read().await.get(name).map(|p| p.text.clone()) }
    pub async fn tidy(&self, name: &str) -> bool {
        loop {
            let Some(page) = self.pages.read().await.get(name).cloned() else { return false };
            let text = reformat(page.text).await;
            let mut pages = self.pages.write().await;
            let Some(now) = pages.get_mut(name) else { return false };
            if now.version != page.version { continue; }
            now.text = text;
            now.version = page.version + 1;
            return true;
        }
    }
}
