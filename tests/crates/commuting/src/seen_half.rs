//! Two changes of one event that belong together: a bug where something else looks in between, or goes by what it finds, and a note where only
//! another run of the event comes there, or who stores what it has.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, RwLock};

/// A title and its length, which whoever prints looks at together.
#[derive(Default)]
pub struct Cover {
    sheet: Mutex<Sheet>,
}

#[derive(Default)]
struct Sheet {
    title: String,
    length: usize,
}

impl Cover {
    pub fn print(&self, title: &str) {
        self.sheet.lock().unwrap().title = title.to_owned(); //~
        self.sheet.lock().unwrap().length = title.len(); //~
    }

    pub fn line(&self) -> String {
        let sheet = self.sheet.lock().unwrap();
        format!("{:width$}", sheet.title, width = sheet.length) //~
    }
}

/// Nobody looks: two who print at once leave the one's title and the other's length, which is a note.
#[derive(Default)]
pub struct Draft {
    sheet: Mutex<Sheet>,
}

impl Draft {
    pub fn print(&self, title: &str) {
        self.sheet.lock().unwrap().title = title.to_owned();
        self.sheet.lock().unwrap().length = title.len();
    }
}

/// Who closes goes by what it finds in the one, and takes the other out: there is nothing yet.
#[derive(Default)]
pub struct Ports {
    open: RwLock<HashMap<u16, u32>>,
    owners: RwLock<HashMap<u32, u16>>,
}

impl Ports {
    pub fn open(&self, port: u16, owner: u32) {
        self.open.write().unwrap().insert(port, owner); //~
        self.owners.write().unwrap().insert(owner, port); //~
    }

    pub fn close(&self, port: u16) {
        let owner = self.open.write().unwrap().remove(&port); //~
        if let Some(owner) = owner {
            self.owners.write().unwrap().remove(&owner); //~
        }
    }

    pub fn of(&self, owner: u32) -> Option<u16> {
        self.owners.read().unwrap().get(&owner).copied()
    }
}

/// What is left to a task beside others who use it, too, may come before or after.
#[derive(Default)]
pub struct Shop {
    orders: Mutex<VecDeque<u32>>,
    lights: Mutex<bool>,
}

impl Shop {
    pub fn open(self: Arc<Self>, first: u32) {
        let shop = self.clone();
        std::thread::spawn(move || {
            if shop.orders.lock().unwrap().is_empty() {
                *shop.lights.lock().unwrap() = true;
            }
        });
        self.orders.lock().unwrap().push_back(first);
    }

    pub fn waiting(&self) -> usize {
        self.orders.lock().unwrap().len()
    }

    pub fn is_lit(&self) -> bool {
        *self.lights.lock().unwrap()
    }
}

/// What the event has made itself is there for its tasks alone.
pub fn sum(numbers: Vec<u32>) {
    let total = Arc::new(Mutex::new(0));
    let (to, from) = (total.clone(), total);
    std::thread::spawn(move || *to.lock().unwrap() = numbers.iter().sum()); //~
    std::thread::spawn(move || println!("{}", from.lock().unwrap())); //~
}
