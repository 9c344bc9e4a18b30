// Source: tokio-rs/tokio PR #1625 (lock free slab; became hawkw/sharded-slab), review: the head of the list of freed slots is replaced
// before `next` of the freed slot is set. An insert in between takes the list with the slot's old `next`: it goes on with slots that are in
// use, overwrites what is there, and the rest of the list is lost.
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::{Mutex, RwLock};

const NULL: usize = usize::MAX;

/// Where a value is, and which of those that have been there it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Idx {
    offset: usize,
    generation: usize,
}

struct Item<T> {
    generation: usize,
    value: Option<T>,
}

struct Slot<T> {
    item: Mutex<Item<T>>,
    /// The offset of the next free slot, while this one is free.
    next: AtomicUsize,
}

impl<T> Slot<T> {
    fn with_value(value: T) -> Self {
        Slot {
            item: Mutex::new(Item { generation: 0, value: Some(value) }),
            next: AtomicUsize::new(NULL),
        }
    }

    fn fill(&self, value: T) -> usize {
        let mut item = self.item.lock();
        item.value = Some(value); //~
        item.generation
    }

    fn take(&self, generation: usize) -> Option<T> {
        let mut item = self.item.lock();
        if item.generation != generation {
            return None;
        }
        let value = item.value.take()?;
        item.generation += 1;
        Some(value)
    }
}

/// The slots that inserting threads take (one at a time), and those that have been freed by anybody.
struct FreeLists {
    local_head: Mutex<usize>,
    remote_head: AtomicUsize,
}

pub struct Slab<T> {
    slots: RwLock<Vec<Slot<T>>>,
    free: FreeLists,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab::new()
    }
}

impl<T> Slab<T> {
    pub fn new() -> Self {
        Slab {
            slots: RwLock::new(Vec::new()),
            free: FreeLists { local_head: Mutex::new(NULL), remote_head: AtomicUsize::new(NULL) },
        }
    }

    pub fn insert(&self, value: T) -> Idx {
        let Some(offset) = self.pop_free() else {
            let mut slots = self.slots.write();
            slots.push(Slot::with_value(value));
            return Idx { offset: slots.len() - 1, generation: 0 };
        };
        let generation = self.slots.read()[offset].fill(value);
        Idx { offset, generation }
    }

    pub fn remove(&self, idx: Idx) -> Option<T> {
        let slots = self.slots.read();
        let value = slots.get(idx.offset)?.take(idx.generation)?;
        self.push_remote(&slots, idx.offset);
        Some(value)
    }

    pub fn get(&self, idx: Idx) -> Option<T>
    where
        T: Clone,
    {
        let slots = self.slots.read();
        let item = slots.get(idx.offset)?.item.lock();
        if item.generation != idx.generation {
            return None;
        }
        item.value.clone()
    }

    fn pop_free(&self) -> Option<usize> {
        let mut local_head = self.free.local_head.lock();
        if *local_head == NULL {
            // Nothing is left of the local list: take the whole remote one.
            *local_head = self.free.remote_head.swap(NULL, Ordering::Acquire); //~
        }
        if *local_head == NULL {
            return None;
        }
        let offset = *local_head;
        *local_head = self.slots.read()[offset].next.load(Ordering::Acquire); //~
        Some(offset)
    }

    fn push_remote(&self, slots: &[Slot<T>], offset: usize) {
        let next = self.free.remote_head.swap(offset, Ordering::AcqRel); //~
        slots[offset].next.store(next, Ordering::Release); //~
    }
}
