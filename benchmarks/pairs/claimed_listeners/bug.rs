// After async-event-emitter 0.2.0, src/lib.rs (which is right): a listener whose calls are used up is taken out of a copy of the list, which is stored: one
// that is added meanwhile is lost.
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

    fn store(&self, next: T) {
        *self.0.write().unwrap() = Arc::new(next); //~
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
        let before = self.listeners.load(); //~
        self.listeners.store(before.iter().filter(|l| l.id != id).cloned().collect()); //~
        before.iter().any(|l| l.id == id)
    }
}
