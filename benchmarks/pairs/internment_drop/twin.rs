// Repaired as discussed in issue #11 (and done in arc-interner): drop() takes the pool's mutex first, always, and counts down and removes under it; intern() looks up and counts up under it too, so an entry in the pool never has the count 0 there.
use std::borrow::Borrow;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

struct RefCount<T> {
    count: AtomicUsize,
    data: T,
}

struct Entry<T>(Arc<RefCount<T>>);

impl<T: PartialEq> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.data == other.0.data
    }
}

impl<T: Eq> Eq for Entry<T> {}

impl<T: Hash> Hash for Entry<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.data.hash(hasher)
    }
}

impl<T> Borrow<T> for Entry<T> {
    fn borrow(&self) -> &T {
        &self.0.data
    }
}

/// Where the values of one kind are kept, each of them once.
pub struct Pool<T: Eq + Hash> {
    entries: Mutex<HashSet<Entry<T>>>,
}

impl<T: Eq + Hash> Pool<T> {
    pub fn new() -> Arc<Self> {
        Arc::new(Pool { entries: Mutex::new(HashSet::new()) })
    }

    pub fn intern(self: &Arc<Self>, data: T) -> ArcIntern<T> {
        let mut entries = self.entries.lock().unwrap();
        if let Some(Entry(found)) = entries.get(&data) {
            found.count.fetch_add(1, Ordering::SeqCst);
            return ArcIntern { value: found.clone(), pool: self.clone() };
        }
        let value = Arc::new(RefCount { count: AtomicUsize::new(1), data });
        entries.insert(Entry(value.clone()));
        ArcIntern { value, pool: self.clone() }
    }

    pub fn num_objects_interned(&self) -> usize {
        self.entries.lock().unwrap().len()
    }
}

/// An interned value: equal values are the same allocation.
pub struct ArcIntern<T: Eq + Hash> {
    value: Arc<RefCount<T>>,
    pool: Arc<Pool<T>>,
}

impl<T: Eq + Hash> Clone for ArcIntern<T> {
    fn clone(&self) -> Self {
        self.value.count.fetch_add(1, Ordering::SeqCst);
        ArcIntern { value: self.value.clone(), pool: self.pool.clone() }
    }
}

impl<T: Eq + Hash> Drop for ArcIntern<T> {
    fn drop(&mut self) {
        let mut entries = self.pool.entries.lock().unwrap();
        if self.value.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            entries.remove(&self.value.data);
        }
    }
}

impl<T: Eq + Hash> PartialEq for ArcIntern<T> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.value, &other.value)
    }
}

impl<T: Eq + Hash> Deref for ArcIntern<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value.data
    }
}
