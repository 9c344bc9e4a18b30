//! The hits of a session are looked at under its mutex, and written under it later: two hits count one.
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
        let hits = session.lock().unwrap().hits; //~
        session.lock().unwrap().hits = hits + 1; //~
        Some(hits + 1)
    }
    pub fn user(&self, id: u64) -> Option<String> {
        let session = self.all.read().unwrap().get(&id).cloned()?;
        let session = session.lock().unwrap();
        Some(session.user.clone())
    }
}
