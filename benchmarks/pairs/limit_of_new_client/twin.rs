//! Who finds no entry asks for it again with the entry locked. What the closure of `view` looks at has no part in that: where it ran, the answer is `Some`, and the function has returned.
use dashmap::mapref::entry::Entry;
use dashmap::DashMap;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Default)]
pub struct Limits {
    next: DashMap<u32, AtomicU64>,
}

fn allow(next: &AtomicU64, now: u64) -> bool {
    next.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |next| (next <= now).then_some(now + 10)).is_ok()
}

impl Limits {
    pub fn request(&self, client: u32, now: u64) -> bool {
        if let Some(allowed) = self.next.view(&client, |_, next| allow(next, now)) {
            return allowed;
        }
        match self.next.entry(client) {
            Entry::Occupied(entry) => allow(entry.get(), now),
            Entry::Vacant(entry) => {
                entry.insert(AtomicU64::new(now + 10));
                true
            }
        }
    }
    pub fn penalize(&self, client: u32, by: u64) -> bool {
        self.next.view(&client, |_, next| { next.fetch_add(by, Ordering::SeqCst); }).is_some()
    }
}
