//! Every request of a user starts at the session that it found.
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
#[derive(Clone, Default)]
pub struct Session { steps: u32, user: u64 }
#[derive(Default)]
pub struct Sessions { all: Mutex<HashMap<u64, Session>>, next: AtomicU64 }
impl Sessions {
    pub fn visit(&self, user: u64, pages: &[&str]) -> u32 {
        let id = user;
        let mut session = self.all.lock().unwrap().get(&id).cloned().unwrap_or_default(); //~
        session.user = user;
        session.steps += pages.iter().filter(|p| !p.is_empty()).count() as u32;
        let steps = session.steps;
        self.all.lock().unwrap().insert(id, session); //~
        steps
    }
}
