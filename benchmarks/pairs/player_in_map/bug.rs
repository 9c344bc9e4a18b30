// The objects of a map are shared by whoever has got one out of it.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

pub struct Player { pub name: String, score: Mutex<i64> }

#[derive(Default)]
pub struct Game { players: RwLock<HashMap<u32, Arc<Player>>> }

impl Game {
    pub fn join(&self, id: u32, name: &str) {
        self.players.write().unwrap().entry(id).or_insert_with(|| Arc::new(Player { name: name.into(), score: Mutex::new(0) }));
    }
    fn player(&self, id: u32) -> Option<Arc<Player>> { self.players.read().unwrap().get(&id).cloned() }
    pub fn hit(&self, id: u32, points: i64) -> Option<i64> {
        let player = self.player(id)?;
        let score = *player.score.lock().unwrap(); //~
        let score = if score > 1000 { score + points / 2 } else { score + points };
        *player.score.lock().unwrap() = score; //~
        Some(score)
    }
    pub fn halve(&self, id: u32) {
        if let Some(player) = self.player(id) { *player.score.lock().unwrap() /= 2; }
    }
}
