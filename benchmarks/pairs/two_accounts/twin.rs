// Money between two accounts: enough is asked for in one section and taken in the next; or both locks are held, in one order.
use std::sync::{Arc, Mutex};

pub struct Account { id: u32, cents: Mutex<i64> }

impl Account {
    pub fn new(id: u32, cents: i64) -> Arc<Account> { Arc::new(Account { id, cents: Mutex::new(cents) }) }
    pub fn cents(&self) -> i64 { *self.cents.lock().unwrap() }
}

pub fn transfer(from: &Account, to: &Account, cents: i64) -> bool {
    if from.id == to.id { return true; }
    let (mut a, mut b);
    let (source, target) = if from.id < to.id {
        a = from.cents.lock().unwrap();
        b = to.cents.lock().unwrap();
        (&mut a, &mut b)
    } else {
        b = to.cents.lock().unwrap();
        a = from.cents.lock().unwrap();
        (&mut a, &mut b)
    };
    if **source < cents { return false; }
    **source -= cents;
    **target += cents;
    true
}
