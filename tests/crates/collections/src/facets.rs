//! Whether there is an entry, and what is in it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;

#[derive(Default)]
pub struct Page {
    pub visits: u64,
    pub title: String,
}

type Pages = Mutex<HashMap<u64, Page>>;

/// Takes the next page to be made from somewhere.
fn next() -> Option<u64> {
    std::env::args().count().try_into().ok()
}

/// One thread makes pages, where there are none. Others only change what is in them.
pub struct Book {
    pages: Arc<Pages>,
}

impl Book {
    pub fn new() -> Self {
        let pages: Arc<Pages> = Arc::default();
        let own = Arc::clone(&pages);
        thread::spawn(move || {
            while let Some(number) = next() {
                if !own.lock().unwrap().contains_key(&number) {
                    let page = Page { visits: 0, title: format!("page {number}") };
                    own.lock().unwrap().insert(number, page);
                }
            }
        });
        Self { pages }
    }

    pub fn visit(&self, number: u64) {
        if let Some(page) = self.pages.lock().unwrap().get_mut(&number) {
            page.visits += 1;
        }
    }

    pub fn rename(&self, number: u64, title: String) {
        if let Some(page) = self.pages.lock().unwrap().get_mut(&number) {
            page.title = title;
        }
    }
}

/// Others make pages, too.
pub struct Draft {
    pages: Arc<Pages>,
}

impl Draft {
    pub fn new() -> Self {
        let pages: Arc<Pages> = Arc::default();
        let own = Arc::clone(&pages);
        thread::spawn(move || {
            while let Some(number) = next() {
                if !own.lock().unwrap().contains_key(&number) { //~
                    let page = Page { visits: 0, title: format!("page {number}") };
                    own.lock().unwrap().insert(number, page); //~
                }
            }
        });
        Self { pages }
    }

    pub fn visit(&self, number: u64) {
        self.pages.lock().unwrap().entry(number).or_default().visits += 1; //~
    }
}

#[derive(Default)]
pub struct Room {
    guests: Vec<String>,
    calls: HashMap<u64, String>,
}

/// One thread opens rooms, where there are none. Others only change the lists in them.
pub struct Hotel {
    rooms: Arc<Mutex<HashMap<u64, Room>>>,
}

impl Hotel {
    pub fn new() -> Self {
        let rooms: Arc<Mutex<HashMap<u64, Room>>> = Arc::default();
        let own = Arc::clone(&rooms);
        thread::spawn(move || {
            while let Some(number) = next() {
                if !own.lock().unwrap().contains_key(&number) {
                    own.lock().unwrap().insert(number, Room::default());
                }
            }
        });
        Self { rooms }
    }

    pub fn enter(&self, number: u64, guest: String) {
        if let Some(room) = self.rooms.lock().unwrap().get_mut(&number) {
            room.guests.push(guest);
        }
    }
}

/// Who looks at the lists themselves sees what others change in them.
pub struct Inn {
    rooms: Arc<Mutex<HashMap<u64, Room>>>,
}

impl Inn {
    pub fn call(&self, number: u64, id: u64, text: String) {
        let known = self.rooms.lock().unwrap().get(&number).is_some_and(|room| room.calls.contains_key(&id)); //~
        if !known {
            if let Some(room) = self.rooms.lock().unwrap().get_mut(&number) {
                room.calls.insert(id, text); //~
            }
        }
    }
}
