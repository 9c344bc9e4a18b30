//! Functions that do something, and then return a future that does the rest: a call is both.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

type Answer = Pin<Box<dyn Future<Output = bool> + Send>>;

/// Looked at and changed before there is a future.
#[derive(Default)]
pub struct Ferry {
    aboard: Arc<AtomicU32>,
}

impl Ferry {
    pub fn embark(&self) -> Answer {
        if self.aboard.load(SeqCst) >= 40 { //~
            return Box::pin(async { false });
        }
        self.aboard.fetch_add(1, SeqCst); //~
        Box::pin(async { true })
    }
}

/// The same, as an opaque future.
#[derive(Default)]
pub struct Raft {
    aboard: AtomicU32,
}

impl Raft {
    pub fn embark(&self) -> impl Future<Output = bool> + use<> {
        let room = self.aboard.load(SeqCst) < 4; //~
        if room {
            self.aboard.fetch_add(1, SeqCst); //~
        }
        async move { room }
    }
}

/// Looked at before, changed by the future; the guard is gone by then.
#[derive(Default)]
pub struct Waitlist {
    names: Arc<Mutex<Vec<String>>>,
}

impl Waitlist {
    pub fn join(&self, name: String) -> Answer {
        let names = self.names.lock().unwrap();
        let known = names.contains(&name); //~
        let shared = self.names.clone();
        Box::pin(async move {
            if !known {
                shared.lock().unwrap().push(name); //~
            }
            !known
        })
    }
}

/// Which future is made is decided by the look.
#[derive(Default)]
pub struct Gate {
    open: Arc<Mutex<Option<u32>>>,
}

impl Gate {
    pub fn claim(&self, who: u32) -> Answer {
        if self.open.lock().unwrap().is_some() { //~
            return Box::pin(async { false });
        }
        let open = self.open.clone();
        Box::pin(async move {
            *open.lock().unwrap() = Some(who); //~
            true
        })
    }
}

/// Stored at once or later, and not twice: each way makes its own future.
#[derive(Default)]
pub struct Ticker {
    last: Arc<Mutex<String>>,
}

impl Ticker {
    pub fn show(&self, at_once: bool, line: String) -> Answer {
        if at_once {
            *self.last.lock().unwrap() = line;
            return Box::pin(async { true });
        }
        let last = self.last.clone();
        Box::pin(async move {
            *last.lock().unwrap() = line;
            false
        })
    }
}

/// Looked at and changed in one critical section, and told later.
#[derive(Default)]
pub struct Roster {
    names: Mutex<Vec<String>>,
}

impl Roster {
    pub fn join(&self, name: String) -> Answer {
        let mut names = self.names.lock().unwrap();
        let known = names.contains(&name);
        if !known {
            names.push(name);
        }
        Box::pin(async move { !known })
    }
}
