//! What starts threads in a scope goes on itself beside them.
use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Default)]
struct Votes {
    counts: Mutex<HashMap<u32, u32>>,
}

impl Votes {
    fn vote(&self, party: u32) {
        let before = self.counts.lock().unwrap().get(&party).copied().unwrap_or(0); //~
        self.counts.lock().unwrap().insert(party, before + 1); //~
    }

    fn double(&self) {
        for count in self.counts.lock().unwrap().values_mut() {
            *count *= 2; //~
        }
    }
}

fn main() {
    let votes = Votes::default();
    std::thread::scope(|scope| {
        scope.spawn(|| votes.double());
        for party in 0..10 {
            votes.vote(party);
        }
    });
}
