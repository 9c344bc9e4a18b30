//! A session is looked up and then hit. Another one is opened under the same id in between, and hit, too: that is another object, and the first hit counts in the one that was there when it came, as if it had come before.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

pub struct Session {
    user: String,
    hits: u64,
}

#[derive(Default)]
pub struct Sessions {
    all: RwLock<HashMap<u64, Arc<Mutex<Session>>>>,
}

impl Sessions {
    pub fn open(&self, id: u64, user: String) {
        self.all.write().unwrap().insert(id, Arc::new(Mutex::new(Session { user, hits: 0 })));
    }
    pub fn hit(&self, id: u64) -> Option<u64> {
        let session = self.all.read().unwrap().get(&id).cloned()?;
        let mut session = session.lock().unwrap();
        session.hits += 1;
        Some(session.hits)
    }
    pub fn user(&self, id: u64) -> Option<String> {
        let session = self.all.read().unwrap().get(&id).cloned()?;
        let session = session.lock().unwrap();
        Some(session.user.clone())
    }
}
