//! Weak pointers behind a lock: who asks whether what one points to is still there looks at the pointer.

use std::sync::{Arc, Mutex, Weak};

pub struct Engine {
    pub horses: u32,
}

/// There is to be one engine at a time.
#[derive(Default)]
pub struct Shed {
    running: Mutex<Weak<Engine>>,
}

impl Shed {
    pub fn engine(&self, horses: u32) -> Arc<Engine> {
        if let Some(engine) = self.running.lock().unwrap().upgrade() { //~
            return engine;
        }
        let engine = Arc::new(Engine { horses });
        *self.running.lock().unwrap() = Arc::downgrade(&engine); //~
        engine
    }
}

#[derive(Default)]
pub struct Depot {
    running: Mutex<Weak<Engine>>,
}

impl Depot {
    pub fn engine(&self, horses: u32) -> Arc<Engine> {
        let mut running = self.running.lock().unwrap();
        running.upgrade().unwrap_or_else(|| {
            let engine = Arc::new(Engine { horses });
            *running = Arc::downgrade(&engine);
            engine
        })
    }
}
