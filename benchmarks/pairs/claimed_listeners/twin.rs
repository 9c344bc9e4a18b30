// async-event-emitter 0.2.0, src/lib.rs: each call of a listener is claimed by counting its limit down; who finds it used up takes the listener out, by
// its id, in one step.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

#[derive(Clone)]
pub struct Listener {
    call: Arc<dyn Fn(u32) + Send + Sync>,
    limit: Option<Arc<AtomicU64>>,
    id: u64,
}

/// What is replaced as a whole.
struct Swap<T>(RwLock<Arc<T>>);

impl<T> Swap<T> {
    fn load(&self) -> Arc<T> {
        self.0.read().unwrap().clone()
    }

    fn rcu(&self, change: impl FnOnce(&T) -> T) -> Arc<T> {
        let mut current = self.0.write().unwrap();
        let next = Arc::new(change(&current));
        std::mem::replace(&mut *current, next)
    }
}

pub struct Emitter {
    listeners: Swap<Vec<Listener>>,
    next: AtomicU64,
}

impl Emitter {
    pub fn new() -> Self {
        Emitter { listeners: Swap(RwLock::default()), next: AtomicU64::new(0) }
    }

    pub fn on(&self, limit: Option<u64>, call: impl Fn(u32) + Send + Sync + 'static) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let listener = Listener { call: Arc::new(call), limit: limit.map(|n| Arc::new(AtomicU64::new(n))), id };
        self.listeners.rcu(|current| {
            let mut next = Vec::clone(current);
            next.push(listener.clone());
            next
        });
        id
    }

    pub fn emit(&self, value: u32) {
        let mut used_up = Vec::new();
        for listener in self.listeners.load().iter() {
            let claimed = match &listener.limit {
                None => true,
                Some(limit) => limit.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_sub(1)).is_ok(),
            };
            if claimed {
                (listener.call)(value);
            } else {
                used_up.push(listener.id);
            }
        }
        for id in used_up {
            self.remove(id);
        }
    }

    pub fn remove(&self, id: u64) -> bool {
        let before = self.listeners.rcu(|current| current.iter().filter(|l| l.id != id).cloned().collect::<Vec<_>>());
        before.iter().any(|l| l.id == id)
    }
}
