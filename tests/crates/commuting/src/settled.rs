//! What changes nothing where it is so already may come late; a claim may not.
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};

#[derive(Default)]
pub struct Gauge {
    stopped: AtomicBool,
    flags: AtomicU32,
    highest: AtomicU64,
    claimed: Mutex<bool>,
}

impl Gauge {
    pub fn stop(&self) {
        if !self.stopped.load(SeqCst) {
            self.stopped.store(true, SeqCst);
        }
    }

    pub fn is_stopped(&self) -> bool {
        self.stopped.load(SeqCst)
    }

    pub fn mark(&self) {
        if self.flags.load(SeqCst) & 1 == 0 {
            self.flags.fetch_or(1, SeqCst);
        }
    }

    pub fn mark_other(&self) {
        self.flags.fetch_or(2, SeqCst);
    }

    pub fn rise(&self, to: u64) {
        if to > self.highest.load(SeqCst) {
            self.highest.fetch_max(to, SeqCst);
        }
    }

    /// Both of two callers are told that it is theirs.
    pub fn claim(&self) -> bool {
        if *self.claimed.lock().unwrap() { //~
            return false;
        }
        *self.claimed.lock().unwrap() = true; //~
        true
    }
}

/// A reserve of connections.
#[derive(Default)]
pub struct Reserve {
    idle: Mutex<Vec<u32>>,
    last: Mutex<Option<u32>>,
}

impl Reserve {
    /// Who finds none makes one, which is another one's as soon as it is put in.
    pub fn renew(&self, number: u32) {
        let found = self.idle.lock().unwrap().pop();
        let renewed = found.unwrap_or(number);
        self.idle.lock().unwrap().push(renewed);
    }

    /// Two that find none each note their own.
    pub fn note(&self, number: u32) -> u32 {
        if let Some(last) = *self.last.lock().unwrap() { //~
            return last;
        }
        *self.last.lock().unwrap() = Some(number); //~
        number
    }
}

/// What it does besides is done twice.
#[derive(Default)]
pub struct Registered {
    done: std::sync::atomic::AtomicBool,
    events: std::sync::Mutex<Vec<u32>>,
}

impl Registered {
    pub fn register(&self, token: u32) {
        if self.done.load(std::sync::atomic::Ordering::SeqCst) { //~
            return;
        }
        self.events.lock().unwrap().push(token);
        self.done.store(true, std::sync::atomic::Ordering::SeqCst); //~
    }
}

/// Whoever fills it up fills it to the brim.
#[derive(Default)]
pub struct Tank {
    level: Mutex<u32>,
}

impl Tank {
    pub fn new() -> Tank {
        Tank::default()
    }

    pub fn fill(&self) {
        if *self.level.lock().unwrap() < 10 {
            *self.level.lock().unwrap() = 10;
        }
    }

    pub fn level(&self) -> u32 {
        *self.level.lock().unwrap()
    }
}

/// The same, but something is drawn off.
#[derive(Default)]
pub struct Cask {
    level: Mutex<u32>,
}

impl Cask {
    pub fn new() -> Cask {
        Cask::default()
    }

    pub fn fill(&self) {
        if *self.level.lock().unwrap() < 10 { //~
            *self.level.lock().unwrap() = 10; //~
        }
    }

    pub fn draw(&self) {
        *self.level.lock().unwrap() = 3; //~
    }
}

/// A name that is forgotten is forgotten.
pub struct Nickname {
    name: Mutex<Option<String>>,
}

impl Nickname {
    pub fn new(name: String) -> Nickname {
        Nickname { name: Mutex::new(Some(name)) }
    }

    pub fn forget(&self) {
        if self.name.lock().unwrap().is_some() {
            *self.name.lock().unwrap() = None;
        }
    }

    pub fn name(&self) -> Option<String> {
        self.name.lock().unwrap().clone()
    }
}

/// The same, but others are given, and who has a new one does not want it forgotten.
pub struct Alias {
    name: Mutex<Option<String>>,
}

impl Alias {
    pub fn new(name: String) -> Alias {
        Alias { name: Mutex::new(Some(name)) }
    }

    pub fn forget(&self, old: &str) {
        if self.name.lock().unwrap().as_deref() == Some(old) { //~
            *self.name.lock().unwrap() = None; //~
        }
    }

    pub fn rename(&self, name: String) {
        *self.name.lock().unwrap() = Some(name); //~
    }
}

/// Both of its threads say that it is over.
#[derive(Default)]
pub struct Over {
    over: Mutex<u32>,
}

impl Over {
    pub fn new() -> Over {
        Over::default()
    }

    pub fn end(&self) {
        std::thread::scope(|scope| {
            scope.spawn(|| *self.over.lock().unwrap() = 1);
            *self.over.lock().unwrap() = 1;
        });
    }

    pub fn is_over(&self) -> bool {
        *self.over.lock().unwrap() == 1
    }
}

/// Its threads say something else each.
#[derive(Default)]
pub struct Undecided {
    over: Mutex<u32>,
}

impl Undecided {
    pub fn new() -> Undecided {
        Undecided::default()
    }

    pub fn end(&self) {
        std::thread::scope(|scope| {
            scope.spawn(|| *self.over.lock().unwrap() = 2); //~
            *self.over.lock().unwrap() = 1; //~
        });
    }

    pub fn is_over(&self) -> bool {
        *self.over.lock().unwrap() == 1
    }
}
