// The key of the next free place is asked for, told to the other side, and then used.
use slab::Slab;
use std::sync::{mpsc, Mutex};

pub struct Stream { pub number: usize, pub window: u32 }

pub struct Connection { streams: Mutex<Slab<Stream>>, opened: mpsc::Sender<usize> }

impl Connection {
    pub fn new(opened: mpsc::Sender<usize>) -> Self { Connection { streams: Mutex::new(Slab::new()), opened } }
    pub fn open(&self, window: u32) -> usize {
        let number = self.streams.lock().unwrap().vacant_key(); //~
        let stream = Stream { number, window };
        let _ = self.opened.send(number);
        self.streams.lock().unwrap().insert(stream); //~
        number
    }
    pub fn close(&self, number: usize) -> bool { self.streams.lock().unwrap().try_remove(number).is_some() }
    pub fn grow(&self, number: usize, by: u32) {
        if let Some(stream) = self.streams.lock().unwrap().get_mut(number) { stream.window += by; }
    }
}
