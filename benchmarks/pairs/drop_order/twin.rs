//! The guard lives until the end.
use parking_lot::{Mutex, MutexGuard};
pub struct Meter { gate: Mutex<()>, total: Mutex<u64> }
struct Session<'a> { _gate: Option<MutexGuard<'a, ()>>, meter: &'a Meter, read: u64 }
impl Meter {
    pub fn new() -> Self { Meter { gate: Mutex::new(()), total: Mutex::new(0) } }
    fn open(&self) -> Session<'_> {
        let gate = self.gate.lock();
        let read = *self.total.lock();
        Session { _gate: Some(gate), meter: self, read }
    }
    pub fn count(&self, by: u64) -> u64 {
        let session = self.open();
        session.write(by)
    }
}
impl Session<'_> {
    fn write(self, by: u64) -> u64 {
        let new = self.read + by;
        *self.meter.total.lock() = new;
        new
    }
}
