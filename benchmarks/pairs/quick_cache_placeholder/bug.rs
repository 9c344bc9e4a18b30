// arthurprs/quick-cache PR #40: if a plain `insert` has replaced the placeholder, `PlaceholderGuard::insert` notifies the waiters and
// then fails before `inserted` is set; the guard's drop writes `Terminated` over `Inserted`, and a waiter which wakes after that panics.
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Condvar, Mutex, RwLock};

enum LoadingState<Val> {
    Loading,
    Inserted(Val),
    Terminated,
}

struct State<Val> {
    /// Adding a waiter requires holding the outer shard lock to avoid races between
    /// removing the orphan placeholder from the cache and adding a new waiter to it.
    waiters: usize,
    /// An abandoned placeholder is handed to one of the waiters.
    handed_over: bool,
    loading: LoadingState<Val>,
}

struct Placeholder<Val> {
    state: Mutex<State<Val>>,
    notify: Condvar,
}

enum Entry<Val> {
    Resident(Val),
    Placeholder(Arc<Placeholder<Val>>),
}

pub struct Cache<Key, Val> {
    shard: RwLock<HashMap<Key, Entry<Val>>>,
}

pub struct PlaceholderGuard<'a, Key: Eq + Hash, Val> {
    cache: &'a Cache<Key, Val>,
    key: Key,
    shared: Arc<Placeholder<Val>>,
    inserted: bool,
}

pub enum GuardResult<'a, Key: Eq + Hash, Val> {
    Value(Val),
    Guard(PlaceholderGuard<'a, Key, Val>),
}

impl<Key: Eq + Hash + Clone, Val: Clone> Cache<Key, Val> {
    pub fn new() -> Self {
        Self { shard: RwLock::new(HashMap::new()) }
    }

    /// Replaces whatever is there, a placeholder too.
    pub fn insert(&self, key: Key, value: Val) {
        self.shard.write().unwrap().insert(key, Entry::Resident(value));
    }

    /// Gets the value, or a guard with which to fill it; waits for the guard of another caller.
    pub fn get_value_or_guard(&self, key: &Key) -> GuardResult<'_, Key, Val> {
        let mut shard = self.shard.write().unwrap();
        let shared = match shard.get(key) {
            Some(Entry::Resident(v)) => return GuardResult::Value(v.clone()),
            Some(Entry::Placeholder(p)) => p.clone(),
            None => {
                let state = State { waiters: 0, handed_over: false, loading: LoadingState::Loading };
                let shared = Arc::new(Placeholder { state: Mutex::new(state), notify: Condvar::new() });
                shard.insert(key.clone(), Entry::Placeholder(shared.clone()));
                return GuardResult::Guard(PlaceholderGuard { cache: self, key: key.clone(), shared, inserted: false });
            }
        };
        let mut state = shared.state.lock().unwrap();
        state.waiters += 1;
        drop(shard);
        loop {
            match &state.loading {
                LoadingState::Inserted(v) => return GuardResult::Value(v.clone()), //~
                LoadingState::Loading if state.handed_over => {
                    state.handed_over = false;
                    drop(state);
                    return GuardResult::Guard(PlaceholderGuard { cache: self, key: key.clone(), shared, inserted: false });
                }
                LoadingState::Loading => state = shared.notify.wait(state).unwrap(),
                LoadingState::Terminated => unreachable!(),
            }
        }
    }
}

impl<Key: Eq + Hash, Val: Clone> PlaceholderGuard<'_, Key, Val> {
    /// Returns Err if the placeholder isn't in the cache anymore.
    pub fn insert(mut self, value: Val) -> Result<(), Val> {
        {
            let mut state = self.shared.state.lock().unwrap();
            state.loading = LoadingState::Inserted(value.clone()); //~
            state.waiters = 0;
            self.shared.notify.notify_all();
        }
        let mut shard = self.cache.shard.write().unwrap();
        match shard.get_mut(&self.key) {
            Some(entry @ Entry::Placeholder(_)) if is_placeholder(entry, &self.shared) => *entry = Entry::Resident(value),
            _ => return Err(value),
        }
        self.inserted = true;
        Ok(())
    }
}

fn is_placeholder<Val>(entry: &Entry<Val>, shared: &Arc<Placeholder<Val>>) -> bool {
    matches!(entry, Entry::Placeholder(p) if Arc::ptr_eq(p, shared))
}

impl<Key: Eq + Hash, Val> Drop for PlaceholderGuard<'_, Key, Val> {
    fn drop(&mut self) {
        if self.inserted {
            return;
        }
        let mut shard = self.cache.shard.write().unwrap();
        let mut state = self.shared.state.lock().unwrap();
        if state.waiters > 0 {
            state.waiters -= 1;
            state.handed_over = true;
            self.shared.notify.notify_one();
        } else {
            state.loading = LoadingState::Terminated; //~
            if shard.get(&self.key).is_some_and(|entry| is_placeholder(entry, &self.shared)) {
                shard.remove(&self.key);
            }
        }
    }
}
