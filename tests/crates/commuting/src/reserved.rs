//! Who takes a place notes that in the critical section in which it saw that there is one.

use std::net::TcpStream;
use std::sync::Mutex;

#[derive(Default)]
struct Berths {
    moored: u32,
    expected: u32,
}

/// The sum of both is what is looked at, and stays as it is when a ship comes in.
pub struct Harbour {
    berths: Mutex<Berths>,
    size: u32,
}

fn wait_for_ship() -> bool {
    TcpStream::connect("localhost:1").is_ok()
}

impl Harbour {
    pub fn new(size: u32) -> Harbour {
        Harbour { berths: Mutex::default(), size }
    }

    pub fn moor(&self) -> bool {
        {
            let mut berths = self.berths.lock().unwrap();
            if berths.moored + berths.expected >= self.size {
                return false;
            }
            berths.expected += 1;
        }
        let came = wait_for_ship();
        let mut berths = self.berths.lock().unwrap();
        berths.expected -= 1;
        if came {
            berths.moored += 1;
        }
        came
    }

    pub fn leave(&self) {
        let mut berths = self.berths.lock().unwrap();
        if berths.moored > 0 {
            berths.moored -= 1;
        }
    }

    pub fn moored(&self) -> u32 {
        self.berths.lock().unwrap().moored
    }
}

struct Hall {
    guests: Vec<String>,
    invited: usize,
}

/// The same with a list.
pub struct Dinner {
    hall: Mutex<Hall>,
    seats: usize,
}

impl Dinner {
    pub fn new(seats: usize) -> Dinner {
        Dinner { hall: Mutex::new(Hall { guests: Vec::new(), invited: 0 }), seats }
    }

    pub fn invite(&self, name: &str) -> bool {
        let mut hall = self.hall.lock().unwrap();
        if hall.guests.len() + hall.invited >= self.seats {
            return false;
        }
        hall.invited += 1;
        drop(hall);
        wait_for_ship();
        let mut hall = self.hall.lock().unwrap();
        hall.guests.push(name.to_owned());
        hall.invited -= 1;
        true
    }

    pub fn guests(&self) -> usize {
        self.hall.lock().unwrap().guests.len()
    }
}

/// Nobody knows of those who are expected.
pub struct Pier {
    berths: Mutex<Berths>,
    size: u32,
}

impl Pier {
    pub fn new(size: u32) -> Pier {
        Pier { berths: Mutex::default(), size }
    }

    pub fn moor(&self) -> bool {
        let free = self.berths.lock().unwrap().moored < self.size; //~
        if !free {
            return false;
        }
        wait_for_ship();
        self.berths.lock().unwrap().moored += 1; //~
        true
    }

    pub fn moored(&self) -> u32 {
        self.berths.lock().unwrap().moored
    }
}

/// They are noted, but somebody else does not ask for them.
pub struct Quay {
    berths: Mutex<Berths>,
    size: u32,
}

impl Quay {
    pub fn new(size: u32) -> Quay {
        Quay { berths: Mutex::default(), size }
    }

    pub fn moor(&self) -> bool {
        let mut berths = self.berths.lock().unwrap();
        if berths.moored + berths.expected >= self.size { //~
            return false;
        }
        berths.expected += 1;
        drop(berths);
        wait_for_ship();
        let mut berths = self.berths.lock().unwrap();
        berths.moored += 1; //~
        berths.expected -= 1;
        true
    }

    pub fn push_in(&self) {
        let mut berths = self.berths.lock().unwrap();
        if berths.moored < self.size {
            berths.moored += 1;
        }
    }

    pub fn moored(&self) -> u32 {
        self.berths.lock().unwrap().moored
    }
}

/// What is stored is made of what was seen.
pub struct Dock {
    berths: Mutex<Berths>,
    size: u32,
}

impl Dock {
    pub fn new(size: u32) -> Dock {
        Dock { berths: Mutex::default(), size }
    }

    pub fn moor(&self) -> bool {
        let moored = {
            let mut berths = self.berths.lock().unwrap();
            if berths.moored + berths.expected >= self.size { //~
                return false;
            }
            berths.expected += 1;
            berths.moored
        };
        wait_for_ship();
        let mut berths = self.berths.lock().unwrap();
        berths.moored = moored + 1; //~
        berths.expected -= 1;
        true
    }

    pub fn moored(&self) -> u32 {
        self.berths.lock().unwrap().moored
    }
}

#[derive(Default)]
struct Yard {
    parked: u32,
    coming: u32,
}

/// As many are reserved as there is room for, and made good of one by one.
#[derive(Default)]
pub struct Depot {
    yard: Mutex<Yard>,
}

impl Depot {
    pub fn fill(&self, wanted: u32) {
        let coming = {
            let mut yard = self.yard.lock().unwrap();
            let free = 8_u32.saturating_sub(yard.parked + yard.coming);
            let coming = wanted.min(free);
            yard.coming += coming;
            coming
        };
        for _ in 0..coming {
            wait_for_ship();
            let mut yard = self.yard.lock().unwrap();
            yard.coming -= 1;
            yard.parked += 1;
        }
    }

    pub fn parked(&self) -> u32 {
        self.yard.lock().unwrap().parked
    }
}

/// The room is looked for before it is reserved.
#[derive(Default)]
pub struct Siding {
    yard: Mutex<Yard>,
}

impl Siding {
    pub fn fill(&self, wanted: u32) {
        let free = {
            let yard = self.yard.lock().unwrap();
            8_u32.saturating_sub(yard.parked + yard.coming) //~
        };
        let coming = wanted.min(free);
        self.yard.lock().unwrap().coming += coming; //~
        for _ in 0..coming {
            wait_for_ship();
            let mut yard = self.yard.lock().unwrap();
            yard.coming -= 1; //~
            yard.parked += 1; //~
        }
    }

    pub fn parked(&self) -> u32 {
        self.yard.lock().unwrap().parked
    }
}

/// A guest has a key of its own, and takes itself out in the end: who else has entered meanwhile has no say in whether there was room.
pub struct Lounge {
    guests: std::sync::Mutex<std::collections::HashMap<u64, String>>,
    next: std::sync::atomic::AtomicU64,
    room: usize,
}

impl Lounge {
    pub fn of(room: usize) -> Self {
        Lounge { guests: Default::default(), next: Default::default(), room }
    }

    pub fn visit(&self, name: &str, stay: impl FnOnce()) -> bool {
        let own = self.next.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        {
            let mut guests = self.guests.lock().unwrap();
            if guests.len() >= self.room {
                return false;
            }
            guests.insert(own, name.to_string());
        }
        stay();
        self.guests.lock().unwrap().remove(&own);
        true
    }
}

/// The room is looked at before, and not held.
pub struct Veranda {
    guests: std::sync::Mutex<std::collections::HashMap<u64, String>>,
    next: std::sync::atomic::AtomicU64,
    room: usize,
}

impl Veranda {
    pub fn of(room: usize) -> Self {
        Veranda { guests: Default::default(), next: Default::default(), room }
    }

    pub fn visit(&self, name: &str, stay: impl FnOnce()) -> bool {
        let own = self.next.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        if self.guests.lock().unwrap().len() >= self.room { //~
            return false;
        }
        self.guests.lock().unwrap().insert(own, name.to_string()); //~
        stay();
        self.guests.lock().unwrap().remove(&own);
        true
    }
}
