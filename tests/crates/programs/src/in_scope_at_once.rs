//! What starts threads in a scope goes on itself beside them, under one guard each time.
use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Default)]
struct Votes {
    counts: Mutex<HashMap<u32, u32>>,
}

impl Votes {
    fn vote(&self, party: u32) {
        let mut counts = self.counts.lock().unwrap();
        let before = counts.get(&party).copied().unwrap_or(0);
        counts.insert(party, before + 1);
    }

    fn double(&self) {
        for count in self.counts.lock().unwrap().values_mut() {
            *count *= 2;
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
