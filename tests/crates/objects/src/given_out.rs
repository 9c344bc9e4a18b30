//! What callers get hold of, and call again.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A type that only this module can name.
struct Shelf {
    items: Mutex<HashMap<u32, String>>,
}

pub trait Store: Send + Sync {
    fn reserve(&self, id: u32) -> bool;
    fn release(&self, id: u32);
}

impl Store for Shelf {
    fn reserve(&self, id: u32) -> bool {
        let free = !self.items.lock().unwrap().contains_key(&id); //~
        if free {
            self.items.lock().unwrap().insert(id, String::new()); //~
        }
        free
    }

    fn release(&self, id: u32) {
        self.items.lock().unwrap().remove(&id);
    }
}

pub fn store() -> Box<dyn Store> {
    Box::new(Shelf { items: Mutex::new(HashMap::new()) })
}

/// The same behind `impl`, done well.
struct Tray {
    items: Mutex<HashMap<u32, String>>,
}

impl Store for Tray {
    fn reserve(&self, id: u32) -> bool {
        let mut items = self.items.lock().unwrap();
        let free = !items.contains_key(&id);
        if free {
            items.insert(id, String::new());
        }
        free
    }

    fn release(&self, id: u32) {
        self.items.lock().unwrap().remove(&id);
    }
}

pub fn tray() -> impl Store {
    Tray { items: Mutex::new(HashMap::new()) }
}

/// A thread that the constructor starts, beside the handle's methods.
pub struct Gauge {
    level: Arc<Mutex<f64>>,
}

impl Gauge {
    pub fn start() -> Arc<Gauge> {
        let gauge = Arc::new(Gauge { level: Arc::new(Mutex::new(0.0)) });
        let level = gauge.level.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let seen = *level.lock().unwrap(); //~
                *level.lock().unwrap() = seen * 0.9; //~
            }
        });
        gauge
    }

    pub fn raise(&self, by: f64) {
        *self.level.lock().unwrap() += by;
    }
}

/// The same in one section.
pub struct Tank {
    level: Arc<Mutex<f64>>,
}

impl Tank {
    pub fn start() -> Tank {
        let tank = Tank { level: Arc::new(Mutex::new(0.0)) };
        let level = tank.level.clone();
        std::thread::spawn(move || {
            loop {
                std::thread::sleep(Duration::from_secs(1));
                let mut level = level.lock().unwrap();
                let seen = *level;
                *level = seen * 0.9;
            }
        });
        tank
    }

    pub fn raise(&self, by: f64) {
        *self.level.lock().unwrap() += by;
    }
}

/// Private types behind a field of a public one: each has its own lock.
trait Sink: Send + Sync {
    fn write(&self, text: &str) -> usize;
}

struct Lines {
    all: Mutex<Vec<String>>,
}

struct Count {
    all: Mutex<usize>,
}

impl Sink for Lines {
    fn write(&self, text: &str) -> usize {
        let mut all = self.all.lock().unwrap();
        if all.len() > 10 {
            all.clear();
        }
        all.push(text.to_owned());
        all.len()
    }
}

impl Sink for Count {
    fn write(&self, text: &str) -> usize {
        let mut all = self.all.lock().unwrap();
        *all = *all * 2 + text.len();
        *all
    }
}

pub struct Output {
    sink: Box<dyn Sink>,
}

impl Output {
    pub fn lines() -> Output {
        Output { sink: Box::new(Lines { all: Mutex::new(Vec::new()) }) }
    }

    pub fn count() -> Output {
        Output { sink: Box::new(Count { all: Mutex::new(0) }) }
    }

    pub fn write(&self, text: &str) -> usize {
        self.sink.write(text)
    }
}
