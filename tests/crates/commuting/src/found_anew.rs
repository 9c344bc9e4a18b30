//! What was found before a removal, and what is found behind it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// A guest's bill.
#[derive(Debug, Default)]
pub struct Bill {
    items: Mutex<Vec<String>>,
    paid: Mutex<u64>,
}

/// Who has found a bill writes on it, be it settled meanwhile; who looks then finds it no more.
#[derive(Debug, Default)]
pub struct Inn {
    bills: Mutex<HashMap<String, Arc<Bill>>>,
}

impl Inn {
    pub fn arrive(&self, guest: &str) {
        self.bills.lock().unwrap().insert(guest.to_string(), Arc::default());
    }

    pub fn order(&self, guest: &str, item: &str) {
        let bill = self.bills.lock().unwrap().get(guest).cloned();
        if let Some(bill) = bill {
            bill.items.lock().unwrap().insert(0, item.to_string());
        }
    }

    pub fn leave(&self, guest: &str) {
        self.bills.lock().unwrap().remove(guest);
    }
}

/// What was taken out is put back as it was: the same bill is found again.
#[derive(Debug, Default)]
pub struct Tavern {
    bills: Mutex<HashMap<String, Arc<Bill>>>,
}

impl Tavern {
    pub fn arrive(&self, guest: &str) {
        self.bills.lock().unwrap().insert(guest.to_string(), Arc::default());
    }

    /// Between two shifts all bills are somewhere else, and who pays meanwhile finds none.
    pub fn count(&self) {
        let all = std::mem::take(&mut *self.bills.lock().unwrap()); //~
        std::thread::yield_now();
        self.bills.lock().unwrap().extend(all); //~
    }

    /// Two at once may lose one of the two.
    pub fn pay(&self, guest: &str) {
        let bill = self.bills.lock().unwrap().get(guest).cloned(); //~
        if let Some(bill) = bill {
            let paid = *bill.paid.lock().unwrap(); //~
            std::thread::yield_now();
            *bill.paid.lock().unwrap() = paid + 1; //~
        }
    }
}

/// Who takes a bill out works on that very one.
#[derive(Debug, Default)]
pub struct Cellar {
    bills: Mutex<HashMap<String, Arc<Bill>>>,
}

impl Cellar {
    pub fn arrive(&self, guest: &str) {
        self.bills.lock().unwrap().insert(guest.to_string(), Arc::default());
    }

    /// What it adds may be lost where the guest leaves meanwhile.
    pub fn charge(&self, guest: &str) {
        let bill = self.bills.lock().unwrap().get(guest).cloned();
        if let Some(bill) = bill {
            let paid = *bill.paid.lock().unwrap(); //~
            std::thread::yield_now();
            *bill.paid.lock().unwrap() = paid + 1; //~
        }
    }

    pub fn leave(&self, guest: &str) {
        let bill = self.bills.lock().unwrap().remove(guest);
        if let Some(bill) = bill {
            *bill.paid.lock().unwrap() = 0; //~
        }
    }
}

/// What was found is put somewhere else, where everybody finds it: the older one may come last.
#[derive(Debug, Default)]
pub struct Lodge {
    bills: Mutex<HashMap<u64, Arc<Bill>>>,
    sent: Mutex<HashMap<u64, Arc<Bill>>>,
}

impl Lodge {
    pub fn arrive(&self, room: u64) {
        let bill = Arc::new(Bill::default());
        self.bills.lock().unwrap().insert(room, bill); //~
        let found = self.bills.lock().unwrap().get(&room).cloned(); //~
        if let Some(bill) = found {
            self.sent.lock().unwrap().insert(room, bill); //~
        }
    }
}
