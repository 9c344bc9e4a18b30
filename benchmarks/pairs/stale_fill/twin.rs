//! Put in only if nothing was invalidated since.
use std::collections::HashMap;
use std::sync::{Mutex, RwLock};
#[derive(Default)]
struct Cached { epoch: u64, pages: HashMap<String, String> }
#[derive(Default)]
pub struct Site { disk: Mutex<HashMap<String, String>>, cached: RwLock<Cached> }
impl Site {
    fn load(&self, path: &str) -> String { self.disk.lock().unwrap().get(path).cloned().unwrap_or_default() }
    pub fn page(&self, path: &str) -> String {
        let cached = self.cached.read().unwrap();
        if let Some(page) = cached.pages.get(path) { return page.clone(); }
        let epoch = cached.epoch;
        drop(cached);
        let page = self.load(path);
        let mut cached = self.cached.write().unwrap();
        if cached.epoch == epoch {
        cached.pages.insert(path.to_owned(), page.clone());
        }
        page
    }
    pub fn publish(&self, path: &str, text: &str) {
        self.disk.lock().unwrap().insert(path.to_owned(), text.to_owned());
        let mut cached = self.cached.write().unwrap();
        cached.epoch += 1;
        cached.pages.remove(path);
    }
}
