//! Keys that a caller draws for itself and hands around: through functions, structs, texts, closures, tasks, and until it is dropped.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, RwLock};

/// A name is made of a number; the guest carries it.
#[derive(Default)]
pub struct Hotel {
    keys: AtomicUsize,
    bills: Mutex<HashMap<String, u32>>,
}

struct Guest {
    key: String,
    nights: u32,
}

impl Guest {
    fn new(key: String, nights: u32) -> Guest {
        Guest { key, nights }
    }

    fn stay(&mut self) {
        self.nights += 1;
    }
}

impl Hotel {
    fn key(&self) -> String {
        format!("room {}", self.keys.fetch_add(1, Relaxed) + 100)
    }

    fn check_in(&self, guest: &Guest) {
        self.bills.lock().unwrap().insert(guest.key.clone(), guest.nights);
    }

    fn charge(&self, key: &str, amount: u32) {
        let due = self.bills.lock().unwrap().get(key).copied().unwrap_or(0);
        self.bills.lock().unwrap().insert(key.to_string(), due * 2 + amount);
    }

    pub fn host(&self, nights: u32) -> u32 {
        let mut guest = Guest::new(self.key(), nights);
        self.check_in(&guest);
        guest.stay();
        self.charge(&guest.key, 7);
        self.charge(&guest.key, 9);
        self.bills.lock().unwrap().remove(&guest.key).unwrap_or(0)
    }
}

/// The number is one more than the last one, under one guard.
#[derive(Default)]
pub struct Clinic {
    inner: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    next: u64,
    patients: BTreeMap<u64, u32>,
}

impl Clinic {
    fn enrol(&self, age: u32) -> u64 {
        let mut waiting = self.inner.lock().unwrap();
        let number = waiting.next;
        waiting.next += 1;
        waiting.patients.insert(number, age);
        number
    }

    pub fn treat(&self, age: u32) -> u32 {
        let number = self.enrol(age);
        let before = self.inner.lock().unwrap().patients.get(&number).copied().unwrap_or(3);
        if let Some(patient) = self.inner.lock().unwrap().patients.get_mut(&number) {
            heal(patient, before);
        }
        before
    }
}

fn heal(patient: &mut u32, by: u32) {
    *patient = by * 2;
}

/// The number is read, and increased under another guard.
#[derive(Default)]
pub struct Ward {
    inner: Mutex<Waiting>,
}

impl Ward {
    pub fn admit(&self, age: u32) {
        let number = self.inner.lock().unwrap().next; //~
        self.inner.lock().unwrap().patients.insert(number, age); //~
        self.inner.lock().unwrap().next += 1; //~
    }
}

/// A thread has the key of whoever started it; a lease takes out its own.
#[derive(Default)]
pub struct Depot {
    next: AtomicU64,
    loads: Arc<RwLock<HashMap<u64, u32>>>,
}

struct Lease {
    number: u64,
    loads: Arc<RwLock<HashMap<u64, u32>>>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        let known = self.loads.read().unwrap().contains_key(&self.number);
        if known {
            self.loads.write().unwrap().remove(&self.number);
        }
    }
}

impl Depot {
    pub fn run(&self, tons: u32) -> u32 {
        let lease = Lease { number: self.next.fetch_add(1, Relaxed), loads: self.loads.clone() };
        self.loads.write().unwrap().insert(lease.number, tons);
        let (number, loads) = (lease.number, self.loads.clone());
        let work = std::thread::spawn(move || {
            let known = loads.read().unwrap().get(&number).copied().unwrap_or(1);
            loads.write().unwrap().insert(number, known * 2);
        });
        work.join().unwrap();
        lease.loads.read().unwrap().len() as u32
    }
}

/// One number is drawn for all who share the pier.
pub struct Pier {
    number: u64,
    ships: Mutex<HashMap<u64, u32>>,
}

impl Pier {
    pub fn new(numbers: &AtomicU64) -> Pier {
        Pier { number: numbers.fetch_add(1, Relaxed), ships: Mutex::default() }
    }

    pub fn moor(&self) {
        let known = self.ships.lock().unwrap().get(&self.number).copied().unwrap_or(1); //~
        self.ships.lock().unwrap().insert(self.number, known * 2); //~
    }
}

/// The key of a struct is replaced after it was made.
#[derive(Default)]
pub struct Shop {
    next: AtomicU64,
    carts: Mutex<HashMap<u64, u32>>,
}

struct Buyer {
    cart: u64,
}

impl Buyer {
    fn share(&mut self, with: u64) {
        self.cart = with;
    }
}

impl Shop {
    pub fn buy(&self, other: u64) {
        let mut buyer = Buyer { cart: self.next.fetch_add(1, Relaxed) };
        buyer.share(other);
        let items = self.carts.lock().unwrap().get(&buyer.cart).copied().unwrap_or(1); //~
        self.carts.lock().unwrap().insert(buyer.cart, items * 2); //~
    }
}
