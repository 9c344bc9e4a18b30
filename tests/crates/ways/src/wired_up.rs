//! What a constructor fills in, of what it has just made: nobody else has that yet, although a part of it leads back to the whole. Who gives it away before, or
//! fills in what somebody else has, is on its own.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

/// Two that know each other: whoever makes them has them to itself.
pub struct Cabin {
    bell: Mutex<Option<Arc<Bell>>>,
}

pub struct Bell {
    hung_in: Weak<Cabin>,
    rung_by: Mutex<Option<Arc<Cabin>>>,
}

impl Cabin {
    pub fn new() -> Arc<Self> {
        let cabin = Arc::new(Cabin { bell: Mutex::new(None) });
        *cabin.bell.lock().unwrap() =
            Some(Arc::new(Bell { hung_in: Arc::downgrade(&cabin), rung_by: Mutex::new(None) }));
        let bell = cabin.bell.lock().unwrap().clone().unwrap();
        *bell.rung_by.lock().unwrap() = Some(cabin.clone());
        cabin
    }
    pub fn ring(&self) -> bool {
        let bell = self.bell.lock().unwrap().clone();
        bell.is_some_and(|bell| bell.rung_by.lock().unwrap().is_some() && bell.hung_in.upgrade().is_some())
    }
}

/// What is looked at before anybody is told of it.
pub struct Porters {
    on_bell: Mutex<Option<Box<dyn Fn(u64) + Send + Sync>>>,
}

pub struct Lodge {
    porters: Arc<Porters>,
    guests: Mutex<HashMap<u64, u32>>,
    list: Mutex<Arc<Vec<u64>>>,
}

impl Porters {
    pub fn new() -> Arc<Self> {
        Arc::new(Porters { on_bell: Mutex::new(None) })
    }
    pub fn ask(&self, guest: u64) {
        if let Some(on_bell) = self.on_bell.lock().unwrap().as_ref() {
            on_bell(guest);
        }
    }
}

impl Lodge {
    pub fn new(porters: Arc<Porters>) -> Arc<Self> {
        let lodge =
            Arc::new(Lodge { porters: porters.clone(), guests: Mutex::default(), list: Mutex::default() });
        lodge.write_up(&lodge.guests.lock().unwrap());
        let told = lodge.clone();
        *porters.on_bell.lock().unwrap() = Some(Box::new(move |guest| told.serve(guest)));
        lodge
    }
    fn write_up(&self, guests: &HashMap<u64, u32>) {
        *self.list.lock().unwrap() = Arc::new(guests.keys().copied().collect());
    }
    fn serve(&self, guest: u64) {
        let mut guests = self.guests.lock().unwrap();
        *guests.entry(guest).or_insert(0) += 1;
        self.write_up(&guests);
    }
    pub fn list(&self) -> Arc<Vec<u64>> {
        self.list.lock().unwrap().clone()
    }
    pub fn porters(&self) -> &Arc<Porters> {
        &self.porters
    }
}

/// It goes into a register first, where others find it, and is filled in by what they may have changed.
pub struct Hostel {
    rooms: Mutex<u32>,
}

pub type Hostels = Arc<Mutex<Vec<Arc<Hostel>>>>;

impl Hostel {
    pub fn new(register: Hostels) -> Arc<Self> {
        let hostel = Arc::new(Hostel { rooms: Mutex::new(1) });
        register.lock().unwrap().push(hostel.clone());
        let rooms = *hostel.rooms.lock().unwrap(); //~
        *hostel.rooms.lock().unwrap() = rooms + 1; //~
        hostel
    }
    pub fn build_on(register: &Hostels) {
        for hostel in register.lock().unwrap().iter() {
            *hostel.rooms.lock().unwrap() += 1; //~
        }
    }
}

/// What is filled in may be one that the caller has, and with him others.
pub struct Hall {
    seats: Mutex<u32>,
}

pub struct Theatre {
    hall: Mutex<Option<Arc<Hall>>>,
}

impl Hall {
    pub fn new() -> Arc<Self> {
        Arc::new(Hall { seats: Mutex::new(100) })
    }
    pub fn add(&self, more: u32) {
        *self.seats.lock().unwrap() += more; //~
    }
}

impl Theatre {
    pub fn new(rented: Option<Arc<Hall>>) -> Arc<Self> {
        let theatre = Arc::new(Theatre { hall: Mutex::new(None) });
        *theatre.hall.lock().unwrap() = Some(rented.unwrap_or_else(Hall::new));
        let hall = theatre.hall.lock().unwrap().clone().unwrap();
        let seats = *hall.seats.lock().unwrap(); //~
        *hall.seats.lock().unwrap() = seats - 10; //~
        theatre
    }
    pub fn seats(&self) -> u32 {
        self.hall.lock().unwrap().as_ref().map_or(0, |hall| *hall.seats.lock().unwrap())
    }
}
