//! A server whose connections have a key and a draft each, which two threads of a connection use at the same time.

use std::collections::HashMap;
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Lobby {
    drawn: AtomicU32,
    scores: Mutex<HashMap<u32, u32>>,
}

impl Lobby {
    fn double(&self, player: u32) {
        let score = self.scores.lock().unwrap().get(&player).copied().unwrap_or(1); //~
        self.scores.lock().unwrap().insert(player, score * 2); //~
    }
}

fn listen(mut stream: TcpStream, lobby: &Lobby, player: u32) {
    let mut buffer = [0; 8];
    while let Ok(1..) = stream.read(&mut buffer) {
        lobby.double(player);
    }
}

/// Each line is drawn by a thread of its own, and the next one does not wait for that.
fn draw(mut stream: TcpStream) {
    let draft = Arc::new(Mutex::new(String::new()));
    let mut buffer = [0; 8];
    while let Ok(length @ 1..) = stream.read(&mut buffer) {
        let draft = draft.clone();
        std::thread::spawn(move || {
            let line = draft.lock().unwrap().clone(); //~
            *draft.lock().unwrap() = line + &"-".repeat(length); //~
        });
    }
}

fn main() {
    let lobby = Arc::new(Lobby::default());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    loop {
        let (stream, _) = listener.accept().unwrap();
        let player = lobby.drawn.fetch_add(1, Relaxed);
        let (also, other) = (lobby.clone(), stream.try_clone().unwrap());
        std::thread::spawn(move || listen(other, &also, player));
        let (lobby, page) = (lobby.clone(), stream.try_clone().unwrap());
        std::thread::spawn(move || draw(page));
        std::thread::spawn(move || listen(stream, &lobby, player));
    }
}
