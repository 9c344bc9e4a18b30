//! A later look takes the place of an earlier one only where it can still avoid what the earlier one decided about.
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, RwLock};

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum Door {
    #[default]
    Shut,
    Open,
}

/// What is changed behind the second look is changed in any case.
#[derive(Default)]
pub struct Vault {
    door: Mutex<Door>,
    coins: Mutex<u32>,
    seats: RwLock<BTreeMap<u8, u32>>,
    queue: Mutex<VecDeque<String>>,
    letters: Mutex<Vec<char>>,
}

impl Vault {
    pub fn spend(&self, price: u32) -> bool {
        if *self.coins.lock().unwrap() < price { //~
            return false;
        }
        let mut coins = self.coins.lock().unwrap();
        *coins = coins.checked_sub(price).unwrap_or_default(); //~
        true
    }

    pub fn earn(&self, wage: u32) {
        *self.coins.lock().unwrap() = wage;
    }

    pub fn bar(&self) {
        let open = matches!(*self.door.lock().unwrap(), Door::Open); //~
        if open {
            let mut door = self.door.lock().unwrap();
            *door = match *door { Door::Open => Door::Shut, Door::Shut => Door::Open }; //~
        }
    }

    pub fn swing(&self) {
        let mut door = self.door.lock().unwrap();
        *door = if *door == Door::Shut { Door::Open } else { Door::Shut };
    }

    pub fn sit(&self, row: u8) {
        if self.seats.read().unwrap().contains_key(&row) { //~
            *self.seats.write().unwrap().get_mut(&row).expect("a row") *= 2; //~
        }
    }

    pub fn clear(&self, row: u8) {
        self.seats.write().unwrap().remove(&row);
    }

    pub fn first(&self) -> Option<String> {
        if self.queue.lock().unwrap().is_empty() { //~
            return None;
        }
        let queue = self.queue.lock().unwrap();
        Some(queue[0].clone()) //~
    }

    pub fn shorten(&self, by: usize) {
        self.queue.lock().unwrap().truncate(by);
    }

    pub fn initial(&self) -> char {
        if self.letters.lock().unwrap().len() > 2 { //~
            self.letters.lock().unwrap()[2] //~
        } else {
            ' '
        }
    }

    pub fn forget(&self) {
        self.letters.lock().unwrap().clear();
    }
}

/// The second look can still avoid it.
#[derive(Default)]
pub struct Safe {
    door: Mutex<Door>,
    coins: Mutex<u32>,
    seats: RwLock<BTreeMap<u8, u32>>,
    queue: Mutex<VecDeque<String>>,
    letters: Mutex<Vec<char>>,
    sealed: AtomicBool,
}

impl Safe {
    pub fn spend(&self, price: u32) -> bool {
        if *self.coins.lock().unwrap() < price {
            return false;
        }
        let mut coins = self.coins.lock().unwrap();
        if *coins < price {
            return false;
        }
        let left = coins.wrapping_sub(price);
        *coins = left;
        true
    }

    pub fn earn(&self, wage: u32) {
        *self.coins.lock().unwrap() = wage;
    }

    pub fn bar(&self) {
        let open = matches!(*self.door.lock().unwrap(), Door::Open);
        if open {
            let mut door = self.door.lock().unwrap();
            let still = matches!(*door, Door::Open);
            if still {
                *door = Door::Shut;
            }
        }
    }

    pub fn swing(&self) {
        let mut door = self.door.lock().unwrap();
        *door = if *door == Door::Shut { Door::Open } else { Door::Shut };
    }

    pub fn sit(&self, row: u8) {
        if self.seats.read().unwrap().contains_key(&row) {
            if let Some(seat) = self.seats.write().unwrap().get_mut(&row) {
                *seat *= 2;
            }
        }
    }

    pub fn clear(&self, row: u8) {
        self.seats.write().unwrap().remove(&row);
    }

    pub fn first(&self) -> Option<String> {
        if self.queue.lock().unwrap().is_empty() {
            return None;
        }
        let queue = self.queue.lock().unwrap();
        if queue.is_empty() { None } else { Some(queue[0].clone()) }
    }

    pub fn shorten(&self, by: usize) {
        self.queue.lock().unwrap().truncate(by);
    }

    pub fn initial(&self) -> char {
        if self.letters.lock().unwrap().len() > 2 {
            let letters = self.letters.lock().unwrap();
            if letters.len() > 2 {
                return letters[2];
            }
        }
        ' '
    }

    pub fn forget(&self) {
        self.letters.lock().unwrap().clear();
    }

    pub fn seal(&self) {
        if self.sealed.load(SeqCst) {
            return;
        }
        let _ = self.sealed.compare_exchange(false, true, SeqCst, SeqCst);
    }

    pub fn unseal(&self) {
        self.sealed.store(false, SeqCst);
    }
}

/// Leaving the process is an effect; a log is none.
#[derive(Default)]
pub struct Alarm {
    limit: Mutex<u32>,
    heat: Mutex<u32>,
    name: Mutex<String>,
}

impl Alarm {
    pub fn watch(&self) {
        let before = *self.limit.lock().unwrap(); //~
        let after = *self.limit.lock().unwrap(); //~
        if before != after {
            std::process::exit(2);
        }
    }

    pub fn limit(&self, limit: u32) {
        *self.limit.lock().unwrap() = limit;
    }

    pub fn print(&self) {
        let cold = *self.heat.lock().unwrap(); //~
        let hot = *self.heat.lock().unwrap(); //~
        println!("{cold}..{hot}");
    }

    pub fn warm(&self, by: u32) {
        *self.heat.lock().unwrap() = by;
    }

    pub fn log(&self) {
        let before = self.name.lock().unwrap().clone();
        let after = self.name.lock().unwrap().clone();
        log::info!("{before}, {after}");
    }

    pub fn rename(&self, name: String) {
        *self.name.lock().unwrap() = name;
    }
}

/// What was read together and handed on by a function is compared with what is read again.
#[derive(Default)]
pub struct Roster {
    list: Mutex<(u64, Vec<String>)>,
    loose: Mutex<(u64, Vec<String>)>,
}

impl Roster {
    fn read(&self) -> (u64, Option<String>) {
        let list = self.list.lock().unwrap();
        (list.0, list.1.first().cloned())
    }

    pub fn drop_first(&self) {
        let (edition, first) = self.read();
        if first.is_none() {
            return;
        }
        let mut list = self.list.lock().unwrap();
        if list.0 == edition {
            list.0 += 1;
            list.1.remove(0);
        }
    }

    pub fn enter(&self, name: String) {
        let mut list = self.list.lock().unwrap();
        list.0 += 1;
        list.1.insert(0, name);
    }

    fn read_loose(&self) -> (u64, Option<String>) {
        let list = self.loose.lock().unwrap();
        (list.0, list.1.first().cloned()) //~
    }

    pub fn drop_first_unasked(&self) {
        let (_, first) = self.read_loose();
        if first.is_none() {
            return;
        }
        self.loose.lock().unwrap().1.remove(0); //~
    }

    pub fn enter_loose(&self, name: String) {
        self.loose.lock().unwrap().1.insert(0, name);
    }
}
