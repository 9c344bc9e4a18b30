//! One closure looks and changes.
use std::sync::{Arc, Mutex};
pub struct Shared<T>(Arc<Mutex<T>>);
impl<T> Clone for Shared<T> { fn clone(&self) -> Self { Shared(self.0.clone()) } }
impl<T> Shared<T> {
    pub fn new(value: T) -> Self { Shared(Arc::new(Mutex::new(value))) }
    fn with<R>(&self, work: impl FnOnce(&mut T) -> R) -> R { work(&mut self.0.lock().unwrap()) }
}
#[derive(Default)]
pub struct Seat { taken_by: Option<String> }
#[derive(Clone)]
pub struct Hall { seats: Shared<Vec<Seat>> }
impl Hall {
    pub fn with_seats(n: usize) -> Hall { Hall { seats: Shared::new((0..n).map(|_| Seat::default()).collect()) } }
    pub fn reserve(&self, name: &str) -> Option<usize> {
        self.seats.with(|seats| {
            let free = seats.iter().position(|seat| seat.taken_by.is_none())?;
            seats[free].taken_by = Some(name.to_owned());
            Some(free)
        })
    }
    pub fn leave(&self, seat: usize) { self.seats.with(|seats| seats[seat].taken_by = None); }
}
