//! Versions and generations of entries: who finds another one than he has seen, or has put in, leaves the entry alone, or begins anew.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
pub struct Page {
    text: String,
    version: u64,
}

fn tidied(text: &str) -> String {
    std::thread::yield_now();
    text.replace('\t', " ")
}

/// Whoever saves a page counts its version up.
#[derive(Default)]
pub struct Wiki {
    pages: Mutex<HashMap<String, Page>>,
}

impl Wiki {
    pub fn save(&self, name: &str, text: String) {
        let mut pages = self.pages.lock().unwrap();
        let page = pages.entry(name.to_string()).or_default();
        page.text = text;
        page.version += 1;
    }

    pub fn tidy(&self, name: &str) -> bool {
        loop {
            let Some(page) = self.pages.lock().unwrap().get(name).cloned() else { return false };
            let text = tidied(&page.text);
            let mut pages = self.pages.lock().unwrap();
            let Some(now) = pages.get_mut(name) else { return false };
            if now.version != page.version {
                continue;
            }
            now.text = text;
            now.version = page.version + 1;
            return true;
        }
    }
}

/// Not everybody counts.
#[derive(Default)]
pub struct Notes {
    pages: Mutex<HashMap<String, Page>>,
}

impl Notes {
    pub fn save(&self, name: &str, text: String) {
        let mut pages = self.pages.lock().unwrap();
        let page = pages.entry(name.to_string()).or_default();
        page.text = text; //~
    }

    pub fn tidy(&self, name: &str) -> bool {
        loop {
            let Some(page) = self.pages.lock().unwrap().get(name).cloned() else { return false }; //~
            let text = tidied(&page.text);
            let mut pages = self.pages.lock().unwrap();
            let Some(now) = pages.get_mut(name) else { return false }; //~
            if now.version != page.version {
                continue;
            }
            now.text = text;
            now.version = page.version + 1;
            return true;
        }
    }
}

/// What is compared is not what is written under the same guard.
#[derive(Default)]
pub struct Minutes {
    pages: Mutex<HashMap<String, Page>>,
}

impl Minutes {
    pub fn save(&self, name: &str, text: String) {
        let mut pages = self.pages.lock().unwrap();
        let page = pages.entry(name.to_string()).or_default(); //~
        page.text = text;
        page.version += 1;
    }

    pub fn tidy(&self, name: &str) -> bool {
        let Some(page) = self.pages.lock().unwrap().get(name).cloned() else { return false }; //~
        let text = tidied(&page.text);
        let now = self.pages.lock().unwrap().get(name).map(|page| page.version); //~
        if now != Some(page.version) {
            return false;
        }
        let mut pages = self.pages.lock().unwrap();
        let Some(now) = pages.get_mut(name) else { return false }; //~
        now.text = text;
        true
    }
}

/// Who greets again is present again: an old timer takes out no newer entry.
struct Guest {
    name: String,
    generation: u64,
}

#[derive(Default)]
struct Hall {
    present: HashMap<u64, Guest>,
    generation: u64,
}

#[derive(Clone, Default)]
pub struct Presence {
    hall: Arc<Mutex<Hall>>,
}

impl Presence {
    pub fn greet(&self, user: u64, name: String) {
        let generation = {
            let mut hall = self.hall.lock().unwrap();
            hall.generation += 1;
            let generation = hall.generation;
            hall.present.insert(user, Guest { name, generation });
            generation
        };
        let presence = self.clone();
        std::thread::spawn(move || presence.expire(user, generation));
    }

    fn expire(&self, user: u64, generation: u64) {
        let mut hall = self.hall.lock().unwrap();
        if hall.present.get(&user).is_some_and(|guest| guest.generation == generation) {
            hall.present.remove(&user);
        }
    }

    pub fn name(&self, user: u64) -> Option<String> {
        self.hall.lock().unwrap().present.get(&user).map(|guest| guest.name.clone())
    }
}

/// Nobody asks which entry it is.
#[derive(Clone, Default)]
pub struct Guests {
    hall: Arc<Mutex<Hall>>,
}

impl Guests {
    pub fn greet(&self, user: u64, name: String) {
        let generation = {
            let mut hall = self.hall.lock().unwrap();
            hall.generation += 1;
            let generation = hall.generation;
            hall.present.insert(user, Guest { name, generation }); //~
            generation
        };
        let guests = self.clone();
        std::thread::spawn(move || guests.expire(user, generation));
    }

    fn expire(&self, user: u64, generation: u64) {
        let mut hall = self.hall.lock().unwrap();
        let there = hall.present.get(&user).is_some_and(|guest| guest.generation >= generation); //~
        if there {
            hall.present.remove(&user);
        }
    }

    pub fn name(&self, user: u64) -> Option<String> {
        self.hall.lock().unwrap().present.get(&user).map(|guest| guest.name.clone())
    }
}
