//! `deposit` and `withdraw` look and write under different locks.
use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
#[derive(Default)]
pub struct Account { cents: AtomicI64, incoming: Mutex<()>, outgoing: Mutex<()> }
impl Account {
    pub fn deposit(&self, cents: i64) {
        let _gate = self.incoming.lock().unwrap();
        let balance = self.cents.load(Relaxed);
        self.cents.store(balance + cents, Relaxed);
    }
    pub fn withdraw(&self, cents: i64) -> Result<i64, i64> {
        let _gate = self.outgoing.lock().unwrap();
        let balance = self.cents.load(Relaxed); //~
        if balance < cents {
            return Err(balance);
        }
        self.cents.store(balance - cents, Relaxed); //~
        Ok(balance - cents)
    }
    pub fn audit(&self) -> i64 { let _gate = self.outgoing.lock().unwrap(); self.cents.load(Relaxed) }
}
