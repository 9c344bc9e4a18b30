// Several flags in one atomic cell, each changed by somebody else.
use crossbeam::atomic::AtomicCell;

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Traits { muted: bool, away: bool, typing: bool }

#[derive(Default)]
pub struct Member { traits: AtomicCell<Traits> }

impl Member {
    fn change(&self, f: impl Fn(Traits) -> Traits) { let old = self.traits.load(); self.traits.store(f(old)); } //~
    pub fn mute(&self, on: bool) { self.change(|t| Traits { muted: on, ..t }); }
    pub fn away(&self, on: bool) { self.change(|t| Traits { away: on, ..t }); }
    pub fn typing(&self, on: bool) { self.change(|t| Traits { typing: on, ..t }); }
    pub fn traits(&self) -> Traits { self.traits.load() }
}
