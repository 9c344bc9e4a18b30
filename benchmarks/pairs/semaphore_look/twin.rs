//! Whether there was one is what the attempt says.
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
pub struct Slot { _permit: OwnedSemaphorePermit, number: usize }
#[derive(Debug)]
pub enum Error { Busy, Closed }
#[derive(Clone)]
pub struct Slots { free: Arc<Semaphore> }
impl Slots {
    pub fn new(n: usize) -> Self { Slots { free: Arc::new(Semaphore::new(n)) } }
    pub fn take(&self, number: usize) -> Result<Slot, Error> {
        let permit = self.free.clone().try_acquire_owned().map_err(|_| Error::Busy)?;
        Ok(Slot { _permit: permit, number })
    }
}
impl Slot { pub fn number(&self) -> usize { self.number } }
