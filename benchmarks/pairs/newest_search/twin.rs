// The answer of an older search must not replace that of a newer one.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Shared { newest: AtomicU64, rows: Mutex<(String, Vec<String>)> }

#[derive(Clone, Default)]
pub struct Search { shared: Arc<Shared> }

async fn query(text: &str) -> Vec<String> { tokio::task::yield_now().await; text.split(' ').map(str::to_owned).collect() }

impl Search {
    pub fn typed(&self, text: String) {
        let mut rows = self.shared.rows.lock().unwrap(); let mine = self.shared.newest.fetch_add(1, Ordering::SeqCst) + 1;
        rows.0 = text.clone(); drop(rows);
        let shared = self.shared.clone();
        tokio::spawn(async move {
            let found = query(&text).await;
            let mut rows = shared.rows.lock().unwrap();
            if shared.newest.load(Ordering::SeqCst) == mine && rows.0 == text { rows.1 = found; }
        });
    }
    pub fn shown(&self) -> (String, Vec<String>) { self.shared.rows.lock().unwrap().clone() }
}
