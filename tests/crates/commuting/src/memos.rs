//! What is made of its key, and of what nobody changes, is the same whoever makes it, and however often it is put in.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, RwLock};

#[derive(Default)]
pub struct Squares {
    known: RwLock<HashMap<u32, u64>>,
}

impl Squares {
    pub fn square(&self, number: u32) -> u64 {
        if let Some(known) = self.known.read().unwrap().get(&number) {
            return *known;
        }
        let made = u64::from(number) * u64::from(number);
        self.known.write().unwrap().insert(number, made);
        made
    }
}

#[derive(Default)]
pub struct Pages {
    rendered: RwLock<HashMap<String, String>>,
}

fn render(path: &str) -> String {
    path.to_uppercase()
}

impl Pages {
    pub fn page(&self, path: &str) -> String {
        if let Some(page) = self.rendered.read().unwrap().get(path) {
            return page.clone();
        }
        let page = render(path);
        self.rendered.write().unwrap().insert(path.to_owned(), page.clone());
        page
    }
}

/// A field that nobody changes goes into it, too.
#[derive(Clone)]
pub struct Glyph {
    pub width: u32,
    pub bits: Vec<u8>,
}

#[derive(Default)]
pub struct Font {
    glyphs: Mutex<HashMap<char, Glyph>>,
    size: u32,
}

impl Font {
    fn draw(&self, letter: char) -> Glyph {
        Glyph { width: self.size, bits: vec![letter as u8; self.size as usize] }
    }

    pub fn glyph(&self, letter: char) -> Glyph {
        let found = self.glyphs.lock().unwrap().get(&letter).cloned();
        match found {
            Some(glyph) => glyph,
            None => {
                let glyph = self.draw(letter);
                self.glyphs.lock().unwrap().insert(letter, glyph.clone());
                glyph
            }
        }
    }
}

/// There is one for all, and nothing goes into it.
static PROCESSORS: AtomicUsize = AtomicUsize::new(0);

pub fn processors() -> usize {
    let known = PROCESSORS.load(Relaxed);
    if known == 0 {
        let found = usize::from(std::thread::available_parallelism().unwrap_or(std::num::NonZeroUsize::MIN));
        PROCESSORS.store(found, Relaxed);
        return found;
    }
    known
}

/// What is put in under a name depends on more than the name.
#[derive(Default)]
pub struct Signs {
    painted: Mutex<HashMap<String, String>>,
}

impl Signs {
    pub fn sign(&self, name: &str, style: &str) -> String {
        let found = self.painted.lock().unwrap().get(name).cloned(); //~
        if let Some(found) = found {
            return found;
        }
        let made = format!("{name} in {style}");
        self.painted.lock().unwrap().insert(name.to_string(), made.clone()); //~
        made
    }
}

/// What is drawn is another one each time.
#[derive(Default)]
pub struct Badges {
    issued: Mutex<HashMap<u32, u64>>,
    next: AtomicU64,
}

impl Badges {
    pub fn badge(&self, guest: u32) -> u64 {
        let found = self.issued.lock().unwrap().get(&guest).copied(); //~
        if let Some(found) = found {
            return found;
        }
        let badge = self.next.fetch_add(1, Relaxed);
        self.issued.lock().unwrap().insert(guest, badge); //~
        badge
    }
}

/// What the clock says is another one each time.
#[derive(Default)]
pub struct Arrivals {
    seen: Mutex<HashMap<u32, u128>>,
}

impl Arrivals {
    pub fn arrival(&self, guest: u32) -> u128 {
        let found = self.seen.lock().unwrap().get(&guest).copied(); //~
        if let Some(found) = found {
            return found;
        }
        let now = std::time::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_nanos());
        self.seen.lock().unwrap().insert(guest, now); //~
        now
    }
}

/// Who makes it counts that.
#[derive(Default)]
pub struct Counted {
    known: Mutex<HashMap<u32, u64>>,
    made: Mutex<Vec<u32>>,
}

impl Counted {
    pub fn cube(&self, number: u32) -> u64 {
        let found = self.known.lock().unwrap().get(&number).copied(); //~
        if let Some(found) = found {
            return found;
        }
        let made = u64::from(number).pow(3);
        self.made.lock().unwrap().push(number);
        self.known.lock().unwrap().insert(number, made); //~
        made
    }

    pub fn made(&self) -> Vec<u32> {
        self.made.lock().unwrap().clone()
    }
}
