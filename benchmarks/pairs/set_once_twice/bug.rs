//! A cell is looked at, found empty, and set by whoever expects to be the only one: of two that find it empty the second panics.
use std::sync::OnceLock;
#[derive(Default)]
pub struct Node { id: OnceLock<u64> }
impl Node {
    pub fn id(&self, seed: u64) -> u64 {
        if self.id.get().is_none() { //~
            self.id.set(expensive(seed)).expect("nobody else sets it"); //~
        }
        *self.id.get().unwrap()
    }
}
fn expensive(seed: u64) -> u64 {
    std::thread::sleep(std::time::Duration::from_millis(1));
    seed * 31
}
