//! What a call changes itself, and what a thread changes that it has started and does not wait for: who looks in between sees work under way.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// How much baking there is, and how much of it is done.
#[derive(Default)]
pub struct Bakery {
    ordered: AtomicUsize,
    baked: AtomicUsize,
}

impl Bakery {
    pub fn order(self: &Arc<Self>, loaves: Vec<u64>) {
        self.ordered.fetch_add(loaves.len(), Ordering::SeqCst);
        for loaf in loaves {
            let bakery = self.clone();
            thread::spawn(move || {
                println!("{loaf}");
                bakery.baked.fetch_add(1, Ordering::SeqCst);
            });
        }
    }

    pub fn share(&self) -> usize {
        let baked = self.baked.load(Ordering::SeqCst);
        let ordered = self.ordered.load(Ordering::SeqCst);
        if ordered == 0 { 100 } else { baked * 100 / ordered }
    }
}

/// The same, where the call waits: when it returns both are done, and nobody should see one without the other.
#[derive(Default)]
pub struct Kitchen {
    ordered: Mutex<u64>,
    cooked: Mutex<u64>,
}

impl Kitchen {
    pub fn order(self: &Arc<Self>, dishes: u64) {
        *self.ordered.lock().unwrap() = dishes; //~
        let kitchen = self.clone();
        let cook = thread::spawn(move || {
            *kitchen.cooked.lock().unwrap() = dishes; //~
        });
        cook.join().unwrap();
    }

    pub fn missing(&self) -> bool {
        *self.cooked.lock().unwrap() != *self.ordered.lock().unwrap() //~
    }
}

/// What is looked at by the call goes into what the thread writes: another order in between is lost.
#[derive(Default)]
pub struct Counter {
    sold: Mutex<u64>,
}

impl Counter {
    pub fn sell(self: &Arc<Self>) {
        let sold = *self.sold.lock().unwrap(); //~
        let counter = self.clone();
        thread::spawn(move || {
            *counter.sold.lock().unwrap() = sold + 1; //~
        });
    }
}

/// The shelf says that the loaf is there, and the thread puts it there: who goes by what it says finds none, and gives up for good.
#[derive(Default)]
pub struct Shelf {
    stocked: Mutex<bool>,
    loaf: Mutex<Option<String>>,
}

impl Shelf {
    pub fn stock(self: &Arc<Self>, loaf: String) {
        *self.stocked.lock().unwrap() = true; //~
        let shelf = self.clone();
        thread::spawn(move || {
            *shelf.loaf.lock().unwrap() = Some(loaf); //~
        });
    }

    pub fn sell(&self) -> Option<String> {
        let stocked = *self.stocked.lock().unwrap(); //~
        stocked.then(|| self.loaf.lock().unwrap().clone().expect("a loaf")) //~
    }
}
