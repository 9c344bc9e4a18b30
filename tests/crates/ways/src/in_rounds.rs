//! A task that serves takes out, in one of its rounds, what its starter puts in behind its start.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::sync::mpsc;

/// What is sent to a connection.
pub enum Command {
    Work(u32),
    Close,
}

#[derive(Default)]
pub struct Late {
    open: Arc<Mutex<HashMap<u64, mpsc::Sender<Command>>>>,
    next: AtomicU64,
}

impl Late {
    pub fn connect(&self, mut stream: TcpStream) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (tx, _rx) = mpsc::channel(8);
        let open = self.open.clone();
        tokio::spawn(async move {
            loop {
                match stream.read_u32().await {
                    Ok(number) => println!("{number}"),
                    Err(_) => {
                        open.lock().unwrap().remove(&id); //~
                        break;
                    }
                }
            }
        });
        self.open.lock().unwrap().insert(id, tx); //~
    }
}

/// It is entered before its task begins.
#[derive(Default)]
pub struct InTime {
    open: Arc<Mutex<HashMap<u64, mpsc::Sender<Command>>>>,
    next: AtomicU64,
}

impl InTime {
    pub fn connect(&self, mut stream: TcpStream) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (tx, _rx) = mpsc::channel(8);
        self.open.lock().unwrap().insert(id, tx);
        let open = self.open.clone();
        tokio::spawn(async move {
            loop {
                match stream.read_u32().await {
                    Ok(number) => println!("{number}"),
                    Err(_) => {
                        open.lock().unwrap().remove(&id);
                        break;
                    }
                }
            }
        });
    }
}

/// Nobody can send anything to the task before it is entered.
#[derive(Default)]
pub struct LetOn {
    open: Arc<Mutex<HashMap<u64, mpsc::Sender<Command>>>>,
    next: AtomicU64,
}

impl LetOn {
    pub fn connect(&self) -> u64 {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (tx, mut rx) = mpsc::channel(8);
        let open = self.open.clone();
        tokio::spawn(async move {
            loop {
                match rx.recv().await {
                    Some(Command::Work(number)) => println!("{number}"),
                    Some(Command::Close) | None => {
                        open.lock().unwrap().remove(&id);
                        return;
                    }
                }
            }
        });
        self.open.lock().unwrap().insert(id, tx);
        id
    }

    pub async fn close(&self, id: u64) {
        let tx = self.open.lock().unwrap().get(&id).cloned();
        if let Some(tx) = tx {
            tx.send(Command::Close).await.ok();
        }
    }
}
