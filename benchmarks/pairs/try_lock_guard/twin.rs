//! The guard of the attempt is kept, through `ok()?` and a tuple.
use parking_lot::{Mutex, MutexGuard};
pub struct Slot { value: u32, version: u32 }
pub struct Cell_ { slot: Mutex<Slot> }
impl Cell_ {
    pub fn new() -> Self { Cell_ { slot: Mutex::new(Slot { value: 0, version: 0 }) } }
    fn attempt(&self) -> Option<(MutexGuard<'_, Slot>, u32)> {
        let slot = self.slot.try_lock()?;
        let version = slot.version;
        Some((slot, version))
    }
    pub fn bump(&self, by: u32) -> Result<u32, &'static str> {
        let (mut slot, version) = self.attempt().ok_or("busy")?;
        slot.value += by;
        slot.version = version + 1;
        Ok(version + 1)
    }
    pub fn version(&self) -> u32 { self.slot.lock().version }
}
