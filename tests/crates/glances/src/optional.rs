//! What is in an option is looked for again by who does something only if there is something.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

#[derive(Default)]
pub struct Client {
    slots: Mutex<Option<HashMap<u32, String>>>,
    next: AtomicU32,
    kept: Mutex<Option<Vec<u32>>>,
}

impl Client {
    pub fn open(&self) {
        *self.slots.lock().unwrap() = Some(HashMap::new());
        *self.kept.lock().unwrap() = Some(Vec::new());
    }

    pub fn close(&self) {
        self.slots.lock().unwrap().take();
        self.kept.lock().unwrap().take();
    }

    pub fn send(&self, fails: bool) -> Result<u32, String> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        match self.slots.lock().unwrap().as_mut() {
            Some(slots) => slots.insert(id, String::new()),
            None => return Err("closed".into()),
        };
        if fails {
            self.slots.lock().unwrap().as_mut().map(|slots| slots.remove(&id));
            return Err("failed".into());
        }
        Ok(id)
    }

    /// Insists on what it has seen.
    pub fn keep(&self, id: u32) {
        if self.kept.lock().unwrap().is_some() { //~
            self.kept.lock().unwrap().as_mut().unwrap().push(id); //~
        }
    }
}
