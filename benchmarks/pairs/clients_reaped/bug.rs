// Who has not been heard of for long is taken out; whoever is heard of in between stays.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

struct Client { name: String, last: Instant }

#[derive(Clone, Default)]
pub struct Clients { known: Arc<Mutex<HashMap<u32, Client>>> }

impl Clients {
    pub fn heard(&self, id: u32, name: &str) {
        let mut known = self.known.lock().unwrap();
        let client = known.entry(id).or_insert_with(|| Client { name: name.into(), last: Instant::now() });
        client.last = Instant::now();
    }
    pub fn name(&self, id: u32) -> Option<String> { self.known.lock().unwrap().get(&id).map(|c| c.name.clone()) }
    pub fn reap(&self, silent: Duration) -> usize {
        let old: Vec<u32> = self.known.lock().unwrap().iter().filter(|(_, c)| c.last.elapsed() > silent).map(|(id, _)| *id).collect(); //~
        let mut gone = 0;
        for id in old {
            let mut known = self.known.lock().unwrap();
            if known.remove(&id).is_some() { gone += 1; } //~
        }
        gone
    }
}
