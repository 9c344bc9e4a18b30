//! What a library's function makes, the loops that it starts share.

use std::collections::HashMap;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};
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
