//! Something is sent, and only then is entered what its receiver looks up, who does without it where it is not there yet.

use std::collections::HashMap;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

type Drafts = Arc<Mutex<HashMap<u64, Vec<String>>>>;

/// The line may be read before there is a draft that it could be added to.
pub struct Late {
    lines: Mutex<Sender<(u64, String)>>,
    drafts: Drafts,
}

impl Late {
    pub fn new() -> Late {
        let (lines, read) = channel();
        let drafts = Drafts::default();
        let known = drafts.clone();
        thread::spawn(move || {
            while let Ok((number, line)) = read.recv() {
                if let Some(draft) = known.lock().unwrap().get_mut(&number) { //~
                    draft.push(line);
                }
            }
        });
        Late { lines: Mutex::new(lines), drafts }
    }

    pub fn begin(&self, number: u64, line: String) {
        if self.lines.lock().unwrap().send((number, line)).is_ok() { //~
            self.drafts.lock().unwrap().insert(number, Vec::new()); //~
        }
    }
}

/// The draft first.
pub struct InTime {
    lines: Mutex<Sender<(u64, String)>>,
    drafts: Drafts,
}

impl InTime {
    pub fn new() -> InTime {
        let (lines, read) = channel();
        let drafts = Drafts::default();
        let known = drafts.clone();
        thread::spawn(move || {
            while let Ok((number, line)) = read.recv() {
                if let Some(draft) = known.lock().unwrap().get_mut(&number) {
                    draft.push(line);
                }
            }
        });
        InTime { lines: Mutex::new(lines), drafts }
    }

    pub fn begin(&self, number: u64, line: String) {
        self.drafts.lock().unwrap().insert(number, Vec::new());
        let _ = self.lines.lock().unwrap().send((number, line));
    }
}

/// Who finds no draft begins one.
pub struct Begun {
    lines: Mutex<Sender<(u64, String)>>,
    drafts: Drafts,
}

impl Begun {
    pub fn new() -> Begun {
        let (lines, read) = channel();
        let drafts = Drafts::default();
        let known = drafts.clone();
        thread::spawn(move || {
            while let Ok((number, line)) = read.recv() {
                known.lock().unwrap().entry(number).or_default().push(line);
            }
        });
        Begun { lines: Mutex::new(lines), drafts }
    }

    pub fn begin(&self, number: u64, line: String) {
        if self.lines.lock().unwrap().send((number, line)).is_ok() {
            self.drafts.lock().unwrap().entry(number).or_default();
        }
    }
}

/// What is noted behind it is another matter: the draft was there before.
pub struct Noted {
    lines: Mutex<Sender<(u64, String)>>,
    drafts: Drafts,
    sent: Mutex<HashMap<u64, String>>,
}

impl Noted {
    pub fn new() -> Noted {
        let (lines, read) = channel();
        let drafts = Drafts::default();
        let known = drafts.clone();
        thread::spawn(move || {
            while let Ok((number, line)) = read.recv() {
                if let Some(draft) = known.lock().unwrap().get_mut(&number) {
                    draft.push(line);
                }
            }
        });
        Noted { lines: Mutex::new(lines), drafts, sent: Default::default() }
    }

    pub fn begin(&self, number: u64, line: String) {
        self.drafts.lock().unwrap().insert(number, Vec::new());
        if self.lines.lock().unwrap().send((number, line.clone())).is_ok() {
            self.sent.lock().unwrap().insert(number, line);
        }
    }

    pub fn was_sent(&self, number: u64) -> bool {
        self.sent.lock().unwrap().contains_key(&number)
    }
}

/// Who finds nothing goes on as always: what is looked up only says that it is not wanted any more.
pub struct Recalled {
    lines: Mutex<Sender<(u64, String)>>,
    wanted: Arc<Mutex<HashMap<u64, bool>>>,
}

impl Recalled {
    pub fn new() -> Recalled {
        let (lines, read) = channel::<(u64, String)>();
        let wanted = Arc::new(Mutex::new(HashMap::new()));
        let known = wanted.clone();
        thread::spawn(move || {
            while let Ok((number, line)) = read.recv() {
                if known.lock().unwrap().get(&number) == Some(&false) {
                    continue;
                }
                println!("{line}");
            }
        });
        Recalled { lines: Mutex::new(lines), wanted }
    }

    pub fn begin(&self, number: u64, line: String) {
        if self.lines.lock().unwrap().send((number, line)).is_ok() {
            self.wanted.lock().unwrap().insert(number, true);
        }
    }

    pub fn recall(&self, number: u64) {
        if let Some(wanted) = self.wanted.lock().unwrap().get_mut(&number) {
            *wanted = false;
        }
    }
}
