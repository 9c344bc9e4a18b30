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

pub struct Job {
    pub name: String,
}

/// An element is looked for by its place.
#[derive(Default)]
pub struct Jobs {
    all: Mutex<Vec<Job>>,
    log: Mutex<Vec<Job>>,
}

impl Jobs {
    pub fn add(&self, name: &str) {
        self.all.lock().unwrap().push(Job { name: name.to_owned() });
        self.log.lock().unwrap().push(Job { name: name.to_owned() });
    }

    pub fn forget(&self) {
        self.all.lock().unwrap().pop(); //~
    }

    pub fn last(&self) -> usize {
        let count = self.all.lock().unwrap().len(); //~
        let all = self.all.lock().unwrap();
        all[count - 1].name.len() //~
    }

    pub fn last_at_once(&self) -> usize {
        let all = self.all.lock().unwrap();
        all[all.len() - 1].name.len()
    }

    /// Nothing is ever taken out of it.
    pub fn last_logged(&self) -> usize {
        let count = self.log.lock().unwrap().len();
        if count == 0 {
            return 0;
        }
        let log = self.log.lock().unwrap();
        log[count - 1].name.len()
    }
}

/// Who is chosen first is noted, and marked afterwards.
#[derive(Default)]
pub struct Limiter {
    last: Mutex<std::collections::HashMap<u32, u64>>,
}

impl Limiter {
    fn is_free(&self, host: u32, now: u64) -> bool {
        self.last.lock().unwrap().get(&host).is_none_or(|last| now - *last > 10) //~
    }

    pub fn choose(&self, hosts: &[u32], now: u64) -> Option<u32> {
        let mut free = Vec::new();
        for host in hosts {
            if self.is_free(*host, now) {
                free.push(*host);
            }
        }
        let chosen = *free.first()?;
        self.last.lock().unwrap().insert(chosen, now); //~
        Some(chosen)
    }

    pub fn choose_at_once(&self, hosts: &[u32], now: u64) -> Option<u32> {
        let mut last = self.last.lock().unwrap();
        let mut free = Vec::new();
        for host in hosts {
            if last.get(host).is_none_or(|last| now - *last > 10) {
                free.push(*host);
            }
        }
        let chosen = *free.first()?;
        last.insert(chosen, now);
        Some(chosen)
    }
}

/// What is taken out and put back is one's own meanwhile, however it was found.
#[derive(Default)]
pub struct Connections {
    idle: Mutex<std::collections::HashMap<String, Vec<u32>>>,
    sizes: Mutex<std::collections::HashMap<String, Vec<usize>>>,
}

impl Connections {
    fn get(&self, host: &str) -> Option<u32> {
        let mut idle = self.idle.lock().unwrap();
        let connections = idle.get_mut(host)?;
        connections.retain(|connection| *connection > 0);
        connections.pop()
    }

    fn put(&self, host: &str, connection: u32) {
        self.idle.lock().unwrap().entry(host.to_owned()).or_default().push(connection);
    }

    pub fn send(&self, host: &str) {
        let connection = self.get(host).unwrap_or(1);
        self.put(host, connection);
    }

    pub fn close(&self) {
        self.idle.lock().unwrap().clear();
    }

    /// How many there were is not taken out.
    pub fn count(&self, host: &str) {
        let count = self.sizes.lock().unwrap().get(host).map_or(0, Vec::len); //~
        self.sizes.lock().unwrap().entry(host.to_owned()).or_default().push(count); //~
    }
}
