//! What was seen may be kept in something of one's own until it is used.
use std::sync::Mutex;

#[derive(Default)]
pub struct Clients {
    all: Mutex<Vec<u32>>,
}

impl Clients {
    pub fn join(&self, client: u32) {
        self.all.lock().unwrap().push(client);
    }

    /// The places are those of before.
    pub fn sweep(&self) {
        let mut broken = Vec::new();
        for (at, client) in self.all.lock().unwrap().iter().enumerate() { //~
            if *client == 0 {
                broken.push(at);
            }
        }
        let mut all = self.all.lock().unwrap();
        for at in broken {
            if at < all.len() { //~
                all.swap_remove(at);
            }
        }
    }

    pub fn sweep_at_once(&self) {
        let mut all = self.all.lock().unwrap();
        let mut broken = Vec::new();
        for (at, client) in all.iter().enumerate() {
            if *client == 0 {
                broken.push(at);
            }
        }
        for at in broken {
            if at < all.len() {
                all.swap_remove(at);
            }
        }
    }

    pub fn halve(&self) {
        let mut half = 0;
        let into = &mut half;
        *into = self.all.lock().unwrap().len() / 2; //~
        let mut all = self.all.lock().unwrap();
        if half < all.len() { //~
            all.truncate(half);
        }
    }

    pub fn halve_again(&self) {
        if self.all.lock().unwrap().len() < 2 {
            return;
        }
        let mut all = self.all.lock().unwrap();
        let half = all.len() / 2;
        if half > 0 {
            all.truncate(half);
        }
    }
}
