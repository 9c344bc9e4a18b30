// Entries and the order of their use; what was thrown out meanwhile must not come back into the order.
use std::collections::{HashMap, VecDeque};
use parking_lot::Mutex;

#[derive(Default)]
struct Inner { tiles: HashMap<(u32, u32), Vec<u8>>, order: VecDeque<(u32, u32)> }

pub struct Tiles { inner: Mutex<Inner>, room: usize }

impl Tiles {
    pub fn new(room: usize) -> Self { Tiles { inner: Mutex::default(), room } }
    pub fn get(&self, at: (u32, u32)) -> Option<Vec<u8>> {
        let tile = self.inner.lock().tiles.get(&at).cloned()?; //~
        let mut inner = self.inner.lock();
        inner.order.retain(|other| *other != at);
        inner.order.push_back(at); //~
        Some(tile)
    }
    pub fn put(&self, at: (u32, u32), tile: Vec<u8>) {
        let mut inner = self.inner.lock();
        inner.order.retain(|other| *other != at);
        inner.order.push_back(at);
        inner.tiles.insert(at, tile);
        while inner.order.len() > self.room {
            if let Some(oldest) = inner.order.pop_front() { inner.tiles.remove(&oldest); }
        }
    }
    pub fn tiles(&self) -> usize { self.inner.lock().tiles.len() }
}
