//! What a library's function makes, the loops that it starts share.

use std::collections::HashMap;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Instant;

type Seen = Arc<Mutex<HashMap<String, Instant>>>;

/// Who was silent for long is looked for, and taken out, be it heard of meanwhile or not.
pub fn run(listener: TcpListener, ticks: Receiver<Instant>) {
    let seen: Seen = Seen::default();
    let swept = seen.clone();
    std::thread::spawn(move || {
        for now in ticks {
            let silent = silent(&swept.lock().unwrap(), now);
            for name in silent {
                swept.lock().unwrap().remove(&name); //~
            }
        }
    });
    for stream in listener.incoming().flatten() {
        let seen = seen.clone();
        std::thread::spawn(move || note(&stream, &seen));
    }
}

fn note(stream: &TcpStream, seen: &Seen) {
    let Ok(address) = stream.peer_addr() else { return };
    seen.lock().unwrap().insert(address.ip().to_string(), Instant::now()); //~
}

fn silent(seen: &HashMap<String, Instant>, now: Instant) -> Vec<String> {
    let silent = seen.iter().filter(|(_, at)| now.duration_since(**at).as_secs() > 60); //~
    silent.map(|(name, _)| name.clone()).collect()
}

/// As `run`, under one lock.
pub fn run_at_once(listener: TcpListener, ticks: Receiver<Instant>) {
    let heard: Seen = Seen::default();
    let swept = heard.clone();
    std::thread::spawn(move || {
        for now in ticks {
            let mut heard = swept.lock().unwrap();
            for name in silent(&heard, now) {
                heard.remove(&name);
            }
        }
    });
    for stream in listener.incoming().flatten() {
        let heard = heard.clone();
        std::thread::spawn(move || note(&stream, &heard));
    }
}

/// Each call makes its own, which one loop uses, one round after the other.
pub fn count(listener: TcpListener) {
    let total = Mutex::new(0);
    for stream in listener.incoming().flatten() {
        let before = *total.lock().unwrap();
        println!("{stream:?}");
        *total.lock().unwrap() = before + 1;
    }
}

/// Who is there, by numbers that nobody else has.
#[derive(Clone, Default)]
pub struct Registry {
    next: Arc<AtomicU64>,
    all: Arc<RwLock<HashMap<u64, Sender<u32>>>>,
}

impl Registry {
    fn register(&self, id: u64, sender: Sender<u32>) {
        self.all.write().unwrap().insert(id, sender);
    }

    fn unregister(&self, id: u64) {
        self.all.write().unwrap().remove(&id);
    }

    pub fn start(&self) -> u64 {
        let id = self.next.fetch_add(1, Ordering::SeqCst);
        let (sender, receiver) = channel();
        self.register(id, sender);
        let this = self.clone();
        std::thread::spawn(move || {
            for number in receiver {
                println!("{number}");
            }
            this.unregister(id);
        });
        id
    }

    pub fn count(&self) -> usize {
        self.all.read().unwrap().len()
    }
}

/// Who is there, by names that callers give: who comes later takes the place of the former one, which then throws it out.
#[derive(Clone, Default)]
pub struct Named {
    all: Arc<RwLock<HashMap<String, Sender<u32>>>>,
}

impl Named {
    fn register(&self, name: &str, sender: Sender<u32>) {
        self.all.write().unwrap().insert(name.to_string(), sender); //~
    }

    fn unregister(&self, name: &str) {
        self.all.write().unwrap().remove(name); //~
    }

    pub fn start(&self, name: &str) {
        let (sender, receiver) = channel();
        self.register(name, sender);
        let this = self.clone();
        let name = name.to_string();
        std::thread::spawn(move || {
            for number in receiver {
                println!("{number}");
            }
            this.unregister(&name);
        });
    }

    pub fn count(&self) -> usize {
        self.all.read().unwrap().len()
    }
}
