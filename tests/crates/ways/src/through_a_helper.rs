//! A loop that a function starts through a helper of its own, on what it has made: rounds follow one another, and each has its own. One that is started
//! twice on one object is beside itself.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

pub trait Peer: Send + Sync {
    fn push(&self, b: Vec<u8>);
}

#[derive(Clone)]
struct Socket {
    responder: Arc<Mutex<Option<Box<dyn Peer>>>>,
    joiners: Arc<Mutex<HashMap<u32, Vec<u8>>>>,
    handlers: Arc<Mutex<HashMap<u32, Vec<u8>>>>,
}

impl Socket {
    fn new() -> Socket {
        Socket { responder: Arc::default(), joiners: Arc::default(), handlers: Arc::default() }
    }
    async fn dispatch(&mut self, sid: u32, b: Vec<u8>, last: bool) {
        let n = self.joiners.lock().unwrap().get(&sid).map(|v| v.len()).unwrap_or(0); //~
        if last {
            self.joiners.lock().unwrap().remove(&sid); //~
            self.handlers.lock().unwrap().insert(sid, vec![n as u8]); //~
            if let Some(r) = &*self.responder.lock().unwrap() {
                r.push(b);
            }
        } else {
            self.joiners.lock().unwrap().insert(sid, vec![0; n + b.len()]); //~
        }
    }
}

impl Peer for Socket {
    fn push(&self, b: Vec<u8>) {
        self.handlers.lock().unwrap().insert(b.len() as u32, b);
    }
}

#[derive(Clone)]
pub struct Client {
    socket: Socket,
}

fn run<F: std::future::Future<Output = ()> + Send + 'static>(f: F) {
    tokio::spawn(f);
}

impl Client {
    pub async fn start(
        mut frames: mpsc::Receiver<(u32, Vec<u8>, bool)>,
        m: Option<Box<dyn Peer>>,
        total: Arc<AtomicUsize>,
    ) -> Client {
        let socket = Socket::new();
        let mut cloned = socket.clone();
        *socket.responder.lock().unwrap() = m;
        run(async move {
            while let Some((sid, b, last)) = frames.recv().await {
                total.fetch_add(b.len(), Ordering::SeqCst);
                cloned.dispatch(sid, b, last).await;
            }
        });
        Client { socket }
    }
}

impl Peer for Client {
    fn push(&self, b: Vec<u8>) {
        self.socket.push(b)
    }
}

/// Two loops for one socket.
pub struct Twice {
    socket: Socket,
}

impl Twice {
    pub fn start(frames: [mpsc::Receiver<(u32, Vec<u8>, bool)>; 2]) -> Twice {
        let socket = Socket::new();
        for mut frames in frames {
            let mut cloned = socket.clone();
            run(async move {
                while let Some((sid, b, last)) = frames.recv().await {
                    cloned.dispatch(sid, b, last).await;
                }
            });
        }
        Twice { socket }
    }

    pub fn joined(&self) -> usize {
        self.socket.joiners.lock().unwrap().len()
    }
}
