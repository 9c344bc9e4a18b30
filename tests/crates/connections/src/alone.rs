//! A server whose connections have a key each, which all of a connection's work uses, one thing after the other.

use std::collections::HashMap;
use std::io::Read;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Lobby {
    drawn: AtomicU32,
    scores: Mutex<HashMap<u32, u32>>,
    peers: Mutex<HashMap<String, u32>>,
}

impl Lobby {
    fn double(&self, player: u32) {
        let score = self.scores.lock().unwrap().get(&player).copied().unwrap_or(1);
        self.scores.lock().unwrap().insert(player, score * 2);
    }

    fn hear(&self, peer: &SocketAddr, bytes: u32) {
        let heard = self.peers.lock().unwrap().get(&peer.to_string()).copied().unwrap_or(1);
        self.peers.lock().unwrap().insert(peer.to_string(), heard * bytes);
    }
}

struct Player {
    number: u32,
    peer: SocketAddr,
    stream: TcpStream,
}

impl Player {
    fn play(mut self, lobby: &Lobby) {
        lobby.scores.lock().unwrap().insert(self.number, 1);
        let mut buffer = [0; 8];
        while let Ok(length @ 1..) = self.stream.read(&mut buffer) {
            lobby.double(self.number);
            lobby.hear(&self.peer, length as u32);
        }
        lobby.double(self.number);
        lobby.scores.lock().unwrap().remove(&self.number);
        lobby.peers.lock().unwrap().remove(&self.peer.to_string());
    }
}

fn main() {
    let lobby = Arc::new(Lobby::default());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    loop {
        let (stream, peer) = listener.accept().unwrap();
        let lobby = lobby.clone();
        let number = lobby.drawn.fetch_add(1, Relaxed);
        std::thread::spawn(move || {
            let player = Player { number, peer, stream };
            player.play(&lobby);
        });
    }
}
