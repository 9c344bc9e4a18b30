//! Under one.
use parking_lot::RwLock;
use std::num::NonZeroU32;
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Handle(NonZeroU32);
pub struct Slab<T> { cells: RwLock<Vec<Option<T>>> }
impl<T: Clone> Slab<T> {
    pub fn new() -> Self { Slab { cells: RwLock::new(Vec::new()) } }
    fn vacant(cells: &[Option<T>]) -> usize { cells.iter().position(Option::is_none).unwrap_or(cells.len()) }
    pub fn put(&self, value: T) -> Handle {
        let mut cells = self.cells.write();
        let at = Self::vacant(&cells);
        if at >= cells.len() { cells.resize(at + 1, None); }
        cells[at] = Some(value);
        Handle(NonZeroU32::new(at as u32 + 1).unwrap())
    }
    pub fn take(&self, handle: Handle) -> Option<T> { self.cells.write().get_mut(handle.0.get() as usize - 1)?.take() }
}
pub fn names() -> Slab<String> { Slab::new() }
