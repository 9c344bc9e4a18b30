//! What lies loose in a collection is taken out and put back, whichever it is.

use std::collections::VecDeque;
use std::sync::Mutex;

/// Buffers that are used again.
#[derive(Default)]
pub struct Buffers {
    spare: Mutex<Vec<Vec<u8>>>,
}

impl Buffers {
    pub fn fill(&self, byte: u8) -> usize {
        let mut buffer = match self.spare.lock().unwrap().pop() {
            Some(buffer) => buffer,
            None => Vec::with_capacity(64),
        };
        buffer.push(byte);
        let length = buffer.len();
        self.spare.lock().unwrap().push(buffer);
        length
    }
}

/// The same with a queue, and a connection that may have been lost.
#[derive(Default)]
pub struct Lines {
    idle: Mutex<VecDeque<u32>>,
}

impl Lines {
    pub fn call(&self, number: u32) -> Result<u32, ()> {
        let line = self.idle.lock().unwrap().pop_front().unwrap_or(number);
        if line.is_multiple_of(7) {
            return Err(());
        }
        self.idle.lock().unwrap().push_back(line);
        Ok(line)
    }
}

/// Who finds nothing counts that: the count then depends on what others had out.
#[derive(Default)]
pub struct Trolleys {
    free: Mutex<Vec<u32>>,
    bought: Mutex<u32>,
}

impl Trolleys {
    pub fn shop(&self) {
        let taken = self.free.lock().unwrap().pop(); //~
        let trolley = match taken {
            Some(trolley) => trolley,
            None => {
                let mut bought = self.bought.lock().unwrap();
                *bought = *bought * 2 + 1; //~
                *bought
            }
        };
        self.free.lock().unwrap().push(trolley); //~
    }
}

/// How many there are is looked at, and acted on later.
#[derive(Default)]
pub struct Chairs {
    stacked: Mutex<Vec<u8>>,
}

impl Chairs {
    pub fn put_away(&self, chair: u8) {
        let full = self.stacked.lock().unwrap().len() >= 10; //~
        if !full {
            self.stacked.lock().unwrap().push(chair); //~
        }
    }

    pub fn take(&self) -> Option<u8> {
        self.stacked.lock().unwrap().pop()
    }
}

/// The last one is looked at, and the last one is taken: it may be another one.
#[derive(Default)]
pub struct Plates {
    pile: Mutex<Vec<u32>>,
}

impl Plates {
    pub fn take_clean(&self) -> Option<u32> {
        let clean = self.pile.lock().unwrap().last().is_some_and(|plate| plate % 2 == 0); //~
        if clean { self.pile.lock().unwrap().pop() } else { None } //~
    }

    pub fn put(&self, plate: u32) {
        self.pile.lock().unwrap().push(plate);
    }
}
