//! Queues, lists, numbers and stores of libraries that many may change at once.

use concurrent_queue::ConcurrentQueue;
use portable_atomic::{AtomicF64, AtomicU64, Ordering};
use thread_local::ThreadLocal;

/// Seats of a cinema, handed out one by one.
pub struct Seats {
    free: ConcurrentQueue<u32>,
    sold: AtomicU64,
    best: AtomicF64,
    capacity: u64,
    own: ThreadLocal<std::cell::Cell<u64>>,
}

impl Seats {
    /// Somebody else may have had the last one.
    pub fn next(&self) -> u32 {
        if self.free.is_empty() { //~
            return 0;
        }
        self.free.pop().unwrap() //~
    }

    pub fn next_at_once(&self) -> Option<u32> {
        self.free.pop().ok()
    }

    pub fn back(&self, seat: u32) {
        let _ = self.free.push(seat);
    }

    pub fn sell(&self) -> bool {
        if self.sold.load(Ordering::SeqCst) >= self.capacity { //~
            return false;
        }
        self.sold.fetch_add(1, Ordering::SeqCst); //~
        true
    }

    pub fn sell_at_once(&self) -> bool {
        let room = |sold| (sold < self.capacity).then_some(sold + 1);
        self.sold.fetch_update(Ordering::SeqCst, Ordering::SeqCst, room).is_ok()
    }

    pub fn rate(&self, stars: f64) {
        if self.best.load(Ordering::SeqCst) < stars { //~
            self.best.store(stars, Ordering::SeqCst); //~
        }
    }

    /// What each thread has is its own.
    pub fn pass(&self) -> u64 {
        let passes = self.own.get_or_default();
        let known = passes.get();
        passes.set(known + 1);
        known
    }

    pub fn shown(&self) -> (u64, f64) {
        (self.sold.load(Ordering::SeqCst), self.best.load(Ordering::SeqCst))
    }
}

/// Names that were given, in maps of which each operation is whole.
pub struct Names {
    ids: flurry::HashMap<String, u64>,
    kept: sled::Tree,
}

impl Names {
    pub fn give(&self, name: &str, id: u64) -> bool {
        let ids = self.ids.pin();
        if ids.contains_key(name) { //~
            return false;
        }
        ids.insert(name.to_owned(), id); //~
        true
    }

    pub fn give_at_once(&self, name: &str, id: u64) -> bool {
        self.ids.pin().try_insert(name.to_owned(), id).is_ok()
    }

    pub fn add(&self, name: &str, by: u8) -> sled::Result<()> {
        let known = self.kept.get(name)?.map_or(0, |known| known[0]); //~
        self.kept.insert(name, vec![known + by])?; //~
        Ok(())
    }

    pub fn add_at_once(&self, name: &str, by: u8) -> sled::Result<()> {
        let add = |known: Option<&[u8]>| Some(vec![known.map_or(0, |known| known[0]) + by]);
        self.kept.fetch_and_update(name, add)?;
        Ok(())
    }
}
