//! What a function does only for some arguments, only those callers do who give it these.

use std::collections::BTreeMap;
use std::sync::Mutex;

/// An option that is never there.
#[derive(Default)]
pub struct Diary {
    days: Mutex<Vec<u64>>,
}

impl Diary {
    fn note(&self, at: Option<u64>) {
        if let Some(at) = at {
            self.days.lock().unwrap().push(at); //~
        }
    }

    pub fn skim(&self) {
        let few = self.days.lock().unwrap().len() < 5;
        if few {
            self.note(None);
        }
    }

    pub fn write(&self, day: u64) {
        let few = self.days.lock().unwrap().len() < 5; //~
        if few {
            self.note(Some(day));
        }
    }
}

/// A truth value, passed on, and asked for through a tuple and by `map`.
#[derive(Default)]
pub struct Oven {
    trays: Mutex<Vec<u32>>,
    timers: Mutex<BTreeMap<u64, u32>>,
}

impl Oven {
    fn shove(&self, tray: u32, bake: bool, until: Option<u64>) {
        self.heat(tray, bake);
        let twice = until.as_ref().map(|_| tray * 2);
        if let (Some(until), Some(tray)) = (until, twice) {
            self.timers.lock().unwrap().insert(until, tray); //~
        }
    }

    fn heat(&self, tray: u32, bake: bool) {
        if bake {
            self.trays.lock().unwrap().push(tray); //~
        }
    }

    pub fn peek(&self, tray: u32) {
        let room = self.trays.lock().unwrap().len() < 2 && self.timers.lock().unwrap().len() < 2;
        if room {
            self.shove(tray, false, None);
        }
    }

    pub fn bake(&self, tray: u32) {
        let room = self.trays.lock().unwrap().len() < 2; //~
        if room {
            self.shove(tray, true, None);
        }
    }

    pub fn proof(&self, tray: u32, until: u64) {
        let room = self.timers.lock().unwrap().len() < 2; //~
        if room {
            self.shove(tray, false, Some(until));
        }
    }
}

/// Asked by a closure that has it captured, and as a number.
#[derive(Default)]
pub struct Gate {
    queue: Mutex<Vec<u32>>,
}

impl Gate {
    fn through(&self, car: u32, wait: Option<u32>, act: impl FnOnce()) {
        if wait.is_some() {
            self.queue.lock().unwrap().push(car); //~
        }
        act();
    }

    fn drive(&self, car: u32, wait: Option<u32>, lane: u8) {
        self.through(car, wait, || {
            if let Some(place) = wait {
                self.queue.lock().unwrap().insert(0, place); //~
            }
            if lane == 3 {
                self.queue.lock().unwrap().clear(); //~
            }
        });
    }

    pub fn pass(&self, car: u32) {
        let busy = self.queue.lock().unwrap().len() > 4;
        if busy {
            self.drive(car, None, 1);
        }
    }

    pub fn join(&self, car: u32) {
        let busy = self.queue.lock().unwrap().len() > 4; //~
        if busy {
            self.drive(car, Some(2), 1);
        }
    }

    pub fn flush(&self, car: u32) {
        let busy = self.queue.lock().unwrap().len() > 4; //~
        if busy {
            self.drive(car, None, 3);
        }
    }
}

/// An async function keeps its arguments in its future.
#[derive(Default)]
pub struct Ferry {
    aboard: Mutex<Vec<u32>>,
}

impl Ferry {
    async fn board(&self, who: u32, ticket: Option<&str>) {
        if ticket.is_some() {
            self.aboard.lock().unwrap().push(who); //~
        }
    }

    pub async fn wave(&self, who: u32) {
        let room = self.aboard.lock().unwrap().len() < 9;
        if room {
            self.board(who, None).await;
        }
    }

    pub async fn embark(&self, who: u32) {
        let room = self.aboard.lock().unwrap().len() < 9; //~
        if room {
            self.board(who, Some("second class")).await;
        }
    }
}

/// What is changed on the way, or is another thing for another caller, is not known.
#[derive(Default)]
pub struct Stall {
    goods: Mutex<Vec<u32>>,
}

impl Stall {
    fn place(&self, item: u32, mut label: Option<u32>) {
        if item > 3 {
            label = Some(item);
        }
        if let Some(label) = label {
            self.goods.lock().unwrap().push(label); //~
        }
    }

    fn lay(&self, item: u32, label: Option<u32>) {
        let mut label = label;
        self.choose(item, &mut label);
        if let Some(label) = label {
            self.goods.lock().unwrap().push(label); //~
        }
    }

    fn choose(&self, item: u32, label: &mut Option<u32>) {
        *label = Some(item);
    }

    pub fn sell(&self, item: u32) {
        let room = self.goods.lock().unwrap().len() < 6; //~
        if room {
            self.place(item, None);
        }
    }

    pub fn show(&self, item: u32) {
        let room = self.goods.lock().unwrap().len() < 6; //~
        if room {
            self.lay(item, None);
        }
    }
}
