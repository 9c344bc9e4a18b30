// Whoever says hello again is present again; the old timer must not take the new entry out.
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

#[derive(Clone)]
struct Entry { text: String, generation: u64 }

#[derive(Default)]
struct Inner { present: HashMap<u64, Entry>, generation: u64 }

#[derive(Clone, Default)]
pub struct Presence { inner: Arc<Mutex<Inner>> }

impl Presence {
    pub fn hello(&self, user: u64, text: String) {
        let generation = {
            let mut inner = self.inner.lock();
            inner.generation += 1;
            let generation = inner.generation;
            inner.present.insert(user, Entry { text, generation }); //~
            generation
        };
        let presence = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(30)).await;
            presence.expire(user, generation);
        });
    }
    fn expire(&self, user: u64, generation: u64) {
        let mut inner = self.inner.lock();
        let _ = generation;
        inner.present.remove(&user); //~
    }
    pub fn text(&self, user: u64) -> Option<String> { self.inner.lock().present.get(&user).map(|e| e.text.clone()) }
}
