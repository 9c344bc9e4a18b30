//! Whether a connection takes what is written to it is up to the outside, and says nothing of what others have written. A function's own error says what it has looked at.

use std::collections::HashMap;
use std::io::{self, BufWriter, Write};
use std::net::TcpStream;
use std::sync::Mutex;

pub struct Telegraph {
    out: Mutex<BufWriter<TcpStream>>,
    stations: Mutex<HashMap<u64, String>>,
}

impl Telegraph {
    pub fn new(stream: TcpStream) -> Self {
        Telegraph { out: Mutex::new(BufWriter::new(stream)), stations: Mutex::default() }
    }
    pub fn sign_off(&self, id: u64) -> io::Result<()> {
        self.out.lock().unwrap().flush()?;
        self.stations.lock().unwrap().remove(&id);
        Ok(())
    }
    pub fn sign_on(&self, id: u64, name: String) -> io::Result<()> {
        self.out.lock().unwrap().write_all(name.as_bytes())?;
        self.stations.lock().unwrap().insert(id, name);
        Ok(())
    }
}

/// Why something is tried says nothing of whether it fails.
pub struct Teleprinter {
    line: Mutex<Option<BufWriter<TcpStream>>>,
    readers: Mutex<HashMap<u64, String>>,
}

impl Teleprinter {
    pub fn new(stream: TcpStream) -> Self {
        Teleprinter { line: Mutex::new(Some(BufWriter::new(stream))), readers: Mutex::default() }
    }
    fn flush(&self) -> io::Result<()> {
        match self.line.lock().unwrap().as_mut() {
            Some(line) => {
                line.write_all(b"?")?;
                line.flush()
            }
            None => Ok(()),
        }
    }
    pub fn leave(&self, id: u64) -> io::Result<()> {
        self.flush()?;
        let mut line = self.line.lock().unwrap();
        if self.readers.lock().unwrap().remove(&id).is_some()
            && let Some(line) = line.as_mut()
        {
            line.write_all(b"bye")?;
        }
        Ok(())
    }
}

pub struct Heliograph {
    up: Mutex<bool>,
    hills: Mutex<HashMap<u64, String>>,
}

impl Heliograph {
    pub fn new() -> Self {
        Heliograph { up: Mutex::new(true), hills: Mutex::default() }
    }
    fn check(&self) -> io::Result<()> {
        if *self.up.lock().unwrap() { Ok(()) } else { Err(io::Error::other("down")) } //~
    }
    pub fn sign_on(&self, id: u64, name: String) -> io::Result<()> {
        self.check()?;
        self.hills.lock().unwrap().insert(id, name); //~
        Ok(())
    }
    pub fn take_down(&self) {
        *self.up.lock().unwrap() = false; //~
        self.hills.lock().unwrap().clear(); //~
    }
}
