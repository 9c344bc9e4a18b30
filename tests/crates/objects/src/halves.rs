//! What one function makes and gives out in two halves is shared between them, whatever it gives them out in.

use std::mem::take;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

#[derive(Default)]
struct Belt {
    stopped: AtomicBool,
    parcels: Mutex<Vec<u32>>,
}

pub struct Loader {
    belt: Arc<Belt>,
}

pub struct Unloader {
    belt: Arc<Belt>,
}

/// In a pair.
pub fn belt() -> (Loader, Unloader) {
    let belt = Arc::new(Belt::default());
    (Loader { belt: Arc::clone(&belt) }, Unloader { belt })
}

impl Loader {
    /// A parcel may be put on it when it has been stopped and emptied.
    pub fn load(&self, parcel: u32) -> bool {
        if self.belt.stopped.load(SeqCst) { //~
            return false;
        }
        self.belt.parcels.lock().unwrap().push(parcel); //~
        true
    }
}

impl Unloader {
    pub fn stop(&self) -> Vec<u32> {
        self.belt.stopped.store(true, SeqCst); //~
        take(&mut *self.belt.parcels.lock().unwrap()) //~
    }
}

struct Line {
    state: Mutex<(bool, Vec<u32>)>,
}

pub struct Caller {
    line: Arc<Line>,
}

pub struct Callee {
    line: Arc<Line>,
}

/// In a type of its own.
pub struct Ends {
    pub caller: Caller,
    pub callee: Callee,
}

fn connect() -> Ends {
    let line = Arc::new(Line { state: Mutex::new((true, Vec::new())) });
    Ends { caller: Caller { line: line.clone() }, callee: Callee { line } }
}

pub fn dial() -> Option<Ends> {
    Some(connect())
}

impl Caller {
    pub fn say(&self, word: u32) -> bool {
        let mut line = self.line.state.lock().unwrap();
        if line.0 {
            line.1.push(word);
        }
        line.0
    }
}

impl Callee {
    /// Looks and hangs up under one lock.
    pub fn hang_up(&self) -> Vec<u32> {
        let mut line = self.line.state.lock().unwrap();
        line.0 = false;
        take(&mut line.1)
    }

    /// Words that were said in between are lost.
    pub fn last(&self) -> Option<u32> {
        let last = self.line.state.lock().unwrap().1.last().copied(); //~
        self.line.state.lock().unwrap().1.clear(); //~
        last
    }
}
