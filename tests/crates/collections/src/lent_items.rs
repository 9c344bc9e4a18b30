//! An iterator over a concurrent map lends each item under the lock of the part of the map that it is in.

use dashmap::DashMap;

pub struct Player {
    name: String,
    scores: Vec<u64>,
}

#[derive(Default)]
pub struct Lobby {
    players: DashMap<u64, Player>,
}

impl Lobby {
    pub fn first_score(&self, name: &str) -> Option<u64> {
        for entry in self.players.iter() {
            let player = entry.value();
            if player.name == name {
                return Some(player.scores[0]);
            }
        }
        None
    }

    pub fn reset(&self, number: u64, name: String) {
        if let Some(mut player) = self.players.get_mut(&number) {
            player.name = name;
            player.scores.clear();
        }
    }
}

/// As `Lobby`, but the item is looked for again.
#[derive(Default)]
pub struct Hall {
    players: DashMap<u64, Player>,
}

impl Hall {
    pub fn first_score(&self, number: u64, name: &str) -> Option<u64> {
        let player = self.players.get(&number)?;
        if player.name != name { //~
            return None;
        }
        drop(player);
        let player = self.players.get(&number).unwrap(); //~
        Some(player.scores[0])
    }

    pub fn reset(&self, number: u64, name: String) {
        if let Some(mut player) = self.players.get_mut(&number) {
            player.name = name; //~
            player.scores.clear();
        }
    }
}
