//! Handles of tasks that a value keeps for its owner.
use std::io;
use std::net::UdpSocket;
use std::thread::{self, JoinHandle};

fn announce(name: String) -> io::Result<()> {
    UdpSocket::bind("127.0.0.1:0")?.send_to(name.as_bytes(), "127.0.0.1:9").map(drop)
}

/// Whoever has one can ask how it went.
pub struct Uplink {
    task: JoinHandle<io::Result<()>>,
}

impl Uplink {
    pub fn start(name: String) -> Uplink {
        let task = thread::spawn(|| announce(name));
        Uplink { task }
    }

    pub fn completed(self) -> io::Result<()> {
        match self.task.join() {
            Ok(result) => result,
            Err(_) => Err(io::ErrorKind::Other.into()),
        }
    }
}

/// Nobody can.
pub struct Beacon {
    _task: JoinHandle<io::Result<()>>,
}

impl Beacon {
    pub fn start(name: String) -> Beacon {
        let task = thread::spawn(move || { //~ no-handler
            announce(name)?;
            announce(String::new())
        });
        Beacon { _task: task }
    }
}

/// Who does not listen any more misses nothing.
pub fn ask(name: String) -> std::sync::mpsc::Receiver<String> {
    let (answer, asked) = std::sync::mpsc::channel();
    thread::spawn(move || answer.send(name));
    asked
}

/// What else goes wrong, nobody hears of.
pub fn ask_loudly(name: String) -> std::sync::mpsc::Receiver<String> {
    let (answer, asked) = std::sync::mpsc::channel();
    thread::spawn(move || { //~ no-handler
        announce(name.clone())?;
        answer.send(name).map_err(io::Error::other)
    });
    asked
}
