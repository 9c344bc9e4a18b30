//! Closures that callers get: they call them as they like, several at once where that is allowed.
use std::sync::{Arc, Mutex};

/// A limiter that all threads of a server ask.
pub fn limiter(most: u32) -> impl Fn() -> bool + Send + Sync {
    let used = Mutex::new(0);
    move || {
        let free = *used.lock().unwrap() < most; //~
        if free {
            *used.lock().unwrap() += 1; //~
        }
        free
    }
}

/// The same, at once.
pub fn strict(most: u32) -> impl Fn() -> bool + Send + Sync {
    let used = Mutex::new(0);
    move || {
        let mut used = used.lock().unwrap();
        let free = *used < most;
        if free {
            *used += 1;
        }
        free
    }
}

pub type Hook = Box<dyn Fn(u32) + Send + Sync>;

/// Two that share what was made for both.
pub fn hooks() -> (Hook, Hook) {
    let best = Arc::new(Mutex::new(0));
    let seen = best.clone();
    let report = move |score| {
        let known = *best.lock().unwrap(); //~
        if score > known {
            *best.lock().unwrap() = score; //~
        }
    };
    (Box::new(report), Box::new(move |score| *seen.lock().unwrap() = score))
}

/// One that only one thread can have: whoever is called through it is called once at a time.
pub fn counter() -> Box<dyn Fn() -> u32> {
    let count = Mutex::new(0);
    Box::new(move || {
        let next = *count.lock().unwrap() + 1;
        *count.lock().unwrap() = next;
        next
    })
}
