// Source: droundy/internment issue #11 (possible race condition in ArcIntern::drop)
use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

struct RefCount {
    count: AtomicUsize,
    data: String,
}

struct Key(Arc<RefCount>);

impl Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.0.data
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0.data == other.0.data
    }
}

impl Eq for Key {}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.data.as_str().hash(state)
    }
}

fn container() -> &'static Mutex<HashMap<Key, ()>> {
    static CONTAINER: OnceLock<Mutex<HashMap<Key, ()>>> = OnceLock::new();
    CONTAINER.get_or_init(Mutex::default)
}

pub struct ArcIntern {
    entry: Arc<RefCount>,
}

impl ArcIntern {
    pub fn new(text: &str) -> Self {
        let mut map = container().lock().unwrap();
        if let Some((Key(entry), ())) = map.get_key_value(text) {
            entry.count.fetch_add(1, Ordering::SeqCst);
            return ArcIntern { entry: entry.clone() };
        }
        let entry = Arc::new(RefCount { count: AtomicUsize::new(1), data: text.to_owned() });
        map.insert(Key(entry.clone()), ());
        ArcIntern { entry }
    }

    pub fn num_objects_interned() -> usize {
        container().lock().unwrap().len()
    }
}

impl Clone for ArcIntern {
    fn clone(&self) -> Self {
        self.entry.count.fetch_add(1, Ordering::SeqCst);
        ArcIntern { entry: self.entry.clone() }
    }
}

impl Drop for ArcIntern {
    fn drop(&mut self) {
        let mut map = container().lock().unwrap();
        if self.entry.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            map.remove(self.entry.data.as_str());
        }
    }
}

impl PartialEq for ArcIntern {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.entry, &other.entry)
    }
}

impl Eq for ArcIntern {}

impl Hash for ArcIntern {
    fn hash<H: Hasher>(&self, state: &mut H) {
        Arc::as_ptr(&self.entry).hash(state)
    }
}

impl Deref for ArcIntern {
    type Target = str;
    fn deref(&self) -> &str {
        &self.entry.data
    }
}

impl fmt::Display for ArcIntern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}
