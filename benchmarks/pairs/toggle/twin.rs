//! Fetch_not... by fetch_xor.
use std::sync::atomic::{AtomicBool, Ordering};
pub trait Switch { fn flip(&self) -> bool; fn is_on(&self) -> bool; }
#[derive(Default)]
pub struct Mute(AtomicBool);
impl Switch for Mute {
    fn flip(&self) -> bool {
        !self.0.fetch_xor(true, Ordering::SeqCst)
    }
    fn is_on(&self) -> bool { self.0.load(Ordering::SeqCst) }
}
pub struct Mixer { channels: Vec<Box<dyn Switch + Send + Sync>> }
impl Mixer {
    pub fn new(n: usize) -> Self { Mixer { channels: (0..n).map(|_| Box::new(Mute::default()) as _).collect() } }
    pub fn press(&self, channel: usize) -> Option<bool> { self.channels.get(channel).map(|c| c.flip()) }
}
