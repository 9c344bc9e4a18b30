//! What is in a box that a value has to itself is had by whoever has that value to themselves.

use std::io::{self, Read};
use std::sync::Mutex;
use std::sync::mpsc::Receiver;

pub struct Outer(Box<dyn Read>);

impl Read for Outer {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

/// Reads from one after the other.
pub struct Queued<R> {
    now: Option<R>,
    next: Receiver<R>,
}

impl<R: Read> Read for Queued<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.now.is_none() {
            self.now = self.next.recv().ok();
        }
        match &mut self.now {
            Some(reader) => reader.read(buffer),
            None => Ok(0),
        }
    }
}

pub fn outer(queued: Queued<std::net::TcpStream>) -> Outer {
    Outer(Box::new(queued))
}

/// Wrong: here others have it meanwhile.
pub struct Slot(Mutex<Option<u32>>);

impl Slot {
    pub fn empty() -> Slot {
        Slot(Mutex::new(None))
    }

    pub fn fill(&self, with: u32) -> bool {
        if self.0.lock().unwrap().is_some() { //~
            return false;
        }
        *self.0.lock().unwrap() = Some(with); //~
        true
    }
}
