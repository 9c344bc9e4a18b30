// Reserved, not paid, given back: the old amount instead of what was taken.
use std::sync::Mutex;

#[derive(Debug)]
pub enum Error { SoldOut, Declined }

pub trait Payment { fn charge(&self, cents: u64) -> bool; }

pub struct Warehouse<P> { pieces: Mutex<u64>, payment: P }

impl<P: Payment> Warehouse<P> {
    pub fn new(pieces: u64, payment: P) -> Self { Warehouse { pieces: Mutex::new(pieces), payment } }
    pub fn pieces(&self) -> u64 { *self.pieces.lock().unwrap() }
    pub fn order(&self, n: u64) -> Result<(), Error> {
        let before = {
            let mut pieces = self.pieces.lock().unwrap();
            if *pieces < n { return Err(Error::SoldOut); }
            let before = *pieces;
            *pieces -= n;
            before
        };
        if !self.payment.charge(n * 100) {
            *self.pieces.lock().unwrap() += n;
            let _ = before;
            return Err(Error::Declined);
        }
        Ok(())
    }
}
