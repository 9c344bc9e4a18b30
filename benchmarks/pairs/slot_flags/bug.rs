//! A slot is seen free, and taken by two.
use std::sync::atomic::{AtomicBool, Ordering};
pub struct Slots { taken: Vec<AtomicBool> }
pub struct Taken<'a> { slots: &'a Slots, index: usize }
impl Slots {
    pub fn of(n: usize) -> Self { Slots { taken: std::iter::repeat_with(AtomicBool::default).take(n).collect() } }
    pub fn take(&self) -> Option<Taken<'_>> {
        let index = self.taken.iter().position(|taken| {
            let free = !taken.load(Ordering::Acquire); //~
            if free { taken.store(true, Ordering::Release); } //~
            free
        })?;
        Some(Taken { slots: self, index })
    }
}
impl Taken<'_> { pub fn index(&self) -> usize { self.index } }
impl Drop for Taken<'_> { fn drop(&mut self) { self.slots.taken[self.index].store(false, Ordering::Release); } }
