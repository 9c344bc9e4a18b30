//! The keys are listed, and then what is there under each by then is counted in: whoever else counts there has no say in the list.

use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Default)]
pub struct Peers {
    sent: Mutex<HashMap<u64, u64>>,
}

impl Peers {
    fn all(&self) -> Vec<u64> {
        self.sent.lock().unwrap().keys().copied().collect()
    }

    pub fn send(&self, to: u64) -> bool {
        if let Some(sent) = self.sent.lock().unwrap().get_mut(&to) {
            *sent += 1;
            return true;
        }
        false
    }

    pub fn enter(&self, peer: u64) {
        self.sent.lock().unwrap().insert(peer, 0);
    }

    pub fn send_to_all(&self) {
        for peer in self.all() {
            self.send(peer);
        }
    }
}

/// What was seen there is stored again.
#[derive(Default)]
pub struct Scores {
    points: Mutex<HashMap<u64, u64>>,
}

impl Scores {
    pub fn score(&self, player: u64) {
        *self.points.lock().unwrap().entry(player).or_default() += 1;
    }

    pub fn raise_all(&self) {
        let all: Vec<(u64, u64)> = self.points.lock().unwrap().iter().map(|(p, n)| (*p, *n)).collect(); //~
        for (player, points) in all {
            if let Some(now) = self.points.lock().unwrap().get_mut(&player) { //~
                *now = points + 1;
            }
        }
    }
}

/// What is not there any more is put in again.
#[derive(Default)]
pub struct Guests {
    visits: Mutex<HashMap<u64, u64>>,
}

impl Guests {
    pub fn leave(&self, guest: u64) {
        self.visits.lock().unwrap().remove(&guest);
    }

    pub fn reset(&self) {
        let all: Vec<u64> = self.visits.lock().unwrap().keys().copied().collect(); //~
        for guest in all {
            self.visits.lock().unwrap().insert(guest, 0); //~
        }
    }
}
