//! Values behind a trait that have others behind it: whichever of them each is, there are more ways down than can be told apart.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

pub trait Store: Send + Sync {
    fn get(&self, key: u32) -> Option<u64>;
    fn put(&self, key: u32, value: u64);
}

#[derive(Default)]
pub struct Memory {
    entries: Mutex<HashMap<u32, u64>>,
}

impl Store for Memory {
    fn get(&self, key: u32) -> Option<u64> {
        self.entries.lock().unwrap().get(&key).copied()
    }

    fn put(&self, key: u32, value: u64) {
        self.entries.lock().unwrap().insert(key, value);
    }
}


        pub struct Cached {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Cached {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    
        pub struct Logged {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Logged {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    
        pub struct Tallied {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Tallied {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    
        pub struct Sharded {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Sharded {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    
        pub struct Checked {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Checked {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    
        pub struct Packed {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Packed {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    
        pub struct Sealed {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Sealed {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    
        pub struct Mirrored {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Mirrored {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    
        pub struct Retried {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Retried {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    
        pub struct Limited {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Limited {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    
        pub struct Timed {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Timed {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    
        pub struct Traced {
            below: Arc<dyn Store>,
            besides: Vec<Arc<dyn Store>>,
            kept: Mutex<HashMap<u32, u64>>,
            misses: Mutex<u64>,
        }

        impl Store for Traced {
            fn get(&self, key: u32) -> Option<u64> {
                if let Some(value) = self.kept.lock().unwrap().get(&key) {
                    return Some(*value);
                }
                *self.misses.lock().unwrap() += 1;
                self.below.get(key)
            }

            fn put(&self, key: u32, value: u64) {
                self.kept.lock().unwrap().insert(key, value);
                self.besides.iter().for_each(|store| store.put(key, value));
            }
        }
    

#[derive(Default)]
pub struct Numbers {
    next: Mutex<HashMap<u32, u64>>,
}

impl Numbers {
    pub fn next(&self, name: u32, store: &dyn Store) -> u64 {
        let known = self.next.lock().unwrap().get(&name).copied(); //~
        let next = known.or_else(|| store.get(name)).unwrap_or_default() + 1;
        self.next.lock().unwrap().insert(name, next); //~
        next
    }

    pub fn next_at_once(&self, name: u32) -> u64 {
        let mut numbers = self.next.lock().unwrap();
        let next = numbers.get(&name).copied().unwrap_or_default() + 1;
        numbers.insert(name, next); //~
        next
    }
}
