//! A task whose handle a value keeps for its owner, who waits for it in the end.

use std::io;
use std::net::UdpSocket;
use std::thread::{self, JoinHandle};

fn write() -> io::Result<u64> {
    UdpSocket::bind("127.0.0.1:0")?.send_to(b"end", "127.0.0.1:9").map(|sent| sent as u64)
}

pub struct Log {
    writer: JoinHandle<io::Result<u64>>,
}

impl Log {
    pub fn open() -> Log {
        Log { writer: thread::spawn(write) }
    }

    /// Wrong: that the thread has ended says nothing of what it has written.
    pub fn close(self) -> thread::Result<()> {
        let _ = self.writer.join()?; //~ lost-error warn
        Ok(())
    }
}

pub struct Journal {
    writer: JoinHandle<io::Result<u64>>,
}

impl Journal {
    pub fn open() -> Journal {
        Journal { writer: thread::spawn(write) }
    }

    pub fn close(self) -> io::Result<u64> {
        self.writer.join().map_err(|_| io::ErrorKind::Other)?
    }
}
