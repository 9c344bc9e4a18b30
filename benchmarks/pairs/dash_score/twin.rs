//! The entry is held.
use dashmap::DashMap;
use std::hash::Hash;
pub trait Player: Hash + Eq + Clone { fn weight(&self) -> u32; }
pub struct Board<P: Player> { scores: DashMap<P, u32> }
impl<P: Player> Default for Board<P> { fn default() -> Self { Board { scores: DashMap::new() } } }
impl<P: Player> Board<P> {
    pub fn won(&self, player: &P) -> u32 {
        let mut score = self.scores.entry(player.clone()).or_default();
        *score += player.weight();
        *score
    }
    pub fn best(&self) -> Option<u32> { self.scores.iter().map(|e| *e.value()).max() }
}
#[derive(Hash, PartialEq, Eq, Clone)]
pub struct Bot(pub u8);
impl Player for Bot { fn weight(&self) -> u32 { u32::from(self.0) } }
pub fn board() -> Board<Bot> { Board::default() }
