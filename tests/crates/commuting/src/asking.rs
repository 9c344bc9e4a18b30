//! Which state something is in, asked by functions of one's own: who finds it as expected notes another one under the same guard.

use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};

#[derive(PartialEq)]
enum Stage {
    Open,
    Closing,
    Closed,
}

impl Stage {
    fn is_open(&self) -> bool {
        match self {
            Stage::Open => true,
            Stage::Closing | Stage::Closed => false,
        }
    }

    fn is_over(&self) -> bool {
        !matches!(self, Stage::Open | Stage::Closing) //~
    }

    fn is_shut(&self) -> bool {
        *self == Stage::Closed
    }
}

/// Who closes the shop finds it open; all others find that somebody does so already.
pub struct Shop {
    stage: RwLock<Stage>,
    guests: Mutex<Vec<u32>>,
}

impl Shop {
    pub fn new() -> Shop {
        Shop { stage: RwLock::new(Stage::Open), guests: Mutex::new(Vec::new()) }
    }

    pub fn close(&self) {
        {
            let mut stage = self.stage.write().unwrap();
            if !stage.is_open() {
                return;
            }
            *stage = Stage::Closing;
        }
        self.guests.lock().unwrap().clear();
        *self.stage.write().unwrap() = Stage::Closed;
    }

    pub fn is_shut(&self) -> bool {
        self.stage.read().unwrap().is_shut()
    }
}

/// What is asked is not what is noted: others find it closing, and close it, too.
pub struct Stall {
    stage: RwLock<Stage>,
    sold: Mutex<u32>,
}

impl Stall {
    pub fn new() -> Stall {
        Stall { stage: RwLock::new(Stage::Open), sold: Mutex::new(0) }
    }

    pub fn close(&self) {
        {
            let mut stage = self.stage.write().unwrap();
            if stage.is_over() {
                return;
            }
            *stage = Stage::Closing;
        }
        let sold = *self.sold.lock().unwrap(); //~
        *self.sold.lock().unwrap() = sold + 1; //~
        *self.stage.write().unwrap() = Stage::Closed; //~
    }
}

/// The guard is given back between the look and the note.
pub struct Booth {
    stage: RwLock<Stage>,
    sold: Mutex<u32>,
}

impl Booth {
    pub fn new() -> Booth {
        Booth { stage: RwLock::new(Stage::Open), sold: Mutex::new(0) }
    }

    pub fn close(&self) {
        if self.stage.read().unwrap().is_over() {
            return;
        }
        *self.stage.write().unwrap() = Stage::Closed; //~
        let sold = *self.sold.lock().unwrap();
        *self.sold.lock().unwrap() = sold + 1;
    }
}

/// A number says it.
const CALM: u8 = 0;
const RINGING: u8 = 1;

pub struct Bell {
    state: Mutex<u8>,
    rung: Mutex<u32>,
}

fn is_calm(state: &u8) -> bool {
    *state == CALM
}

impl Bell {
    pub fn new() -> Bell {
        Bell { state: Mutex::new(CALM), rung: Mutex::new(0) }
    }

    pub fn ring(&self) {
        let mut state = self.state.lock().unwrap();
        if !is_calm(&state) {
            return;
        }
        *state = RINGING;
        drop(state);
        let rung = *self.rung.lock().unwrap();
        *self.rung.lock().unwrap() = rung + 1;
        *self.state.lock().unwrap() = CALM;
    }
}

/// It is calm again before the work is done.
pub struct Chime {
    state: AtomicU8,
    rung: Mutex<u32>,
}

impl Chime {
    pub fn new() -> Chime {
        Chime { state: AtomicU8::new(CALM), rung: Mutex::new(0) }
    }

    fn is_calm(&self) -> bool {
        self.state.load(SeqCst) == CALM //~
    }

    pub fn ring(&self) {
        if self.is_calm() {
            self.state.store(RINGING, SeqCst); //~
            let rung = *self.rung.lock().unwrap();
            *self.rung.lock().unwrap() = rung + 1;
            self.state.store(CALM, SeqCst);
        }
    }
}
