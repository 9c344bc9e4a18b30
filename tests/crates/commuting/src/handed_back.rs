//! Claims of keys that functions of their own make, and give back: what they return says who has the key.

use std::collections::{HashMap, HashSet};
use std::sync::Mutex;

/// Nobody else mends the same net meanwhile.
#[derive(Debug, Default)]
pub struct Nets {
    mended: Mutex<HashSet<String>>,
    holes: Mutex<HashMap<String, u64>>,
}

impl Nets {
    fn begin(&self, net: &str) -> bool {
        self.mended.lock().unwrap().insert(net.to_string())
    }

    fn end(&self, net: &str) {
        self.mended.lock().unwrap().remove(net);
    }

    pub fn mend(&self, net: &str) {
        if !self.begin(net) {
            return;
        }
        let holes = self.holes.lock().unwrap().get(net).copied().unwrap_or(0);
        std::thread::yield_now();
        self.holes.lock().unwrap().insert(net.to_string(), holes / 2);
        self.end(net);
    }
}

/// Whoever does not begin goes on all the same.
#[derive(Debug, Default)]
pub struct Sails {
    mended: Mutex<HashSet<String>>,
    holes: Mutex<HashMap<String, u64>>,
}

impl Sails {
    fn begin(&self, sail: &str) -> bool {
        self.mended.lock().unwrap().insert(sail.to_string())
    }

    fn end(&self, sail: &str) {
        self.mended.lock().unwrap().remove(sail);
    }

    pub fn mend(&self, sail: &str) {
        if !self.begin(sail) {
            std::thread::yield_now();
        }
        let holes = self.holes.lock().unwrap().get(sail).copied().unwrap_or(0); //~
        std::thread::yield_now();
        self.holes.lock().unwrap().insert(sail.to_string(), holes / 2); //~
        self.end(sail);
    }
}

/// It is given back before the work is done.
#[derive(Debug, Default)]
pub struct Ropes {
    mended: Mutex<HashMap<String, u8>>,
    knots: Mutex<HashMap<String, u64>>,
}

impl Ropes {
    fn enter(&self, rope: &str) -> Result<(), u8> {
        let mut mended = self.mended.lock().unwrap();
        match mended.get(rope) { //~
            Some(since) => Err(*since),
            None => {
                mended.insert(rope.to_string(), 1); //~
                Ok(())
            }
        }
    }

    fn leave(&self, rope: &str) {
        self.mended.lock().unwrap().remove(rope);
    }

    pub fn splice(&self, rope: &str) {
        if self.enter(rope).is_err() {
            return;
        }
        let knots = self.knots.lock().unwrap().get(rope).copied().unwrap_or(0); //~
        self.leave(rope);
        self.knots.lock().unwrap().insert(rope.to_string(), knots + 1); //~
    }
}

/// Entered where nothing was, and given back when the work is done.
#[derive(Debug, Default)]
pub struct Masts {
    mended: Mutex<HashMap<String, u8>>,
    cracks: Mutex<HashMap<String, u64>>,
}

impl Masts {
    fn enter(&self, mast: &str) -> Result<(), u8> {
        let mut mended = self.mended.lock().unwrap();
        match mended.get(mast) {
            Some(since) => Err(*since),
            None => {
                mended.insert(mast.to_string(), 1);
                Ok(())
            }
        }
    }

    fn leave(&self, mast: &str) {
        self.mended.lock().unwrap().remove(mast);
    }

    pub fn splice(&self, mast: &str) {
        while self.enter(mast).is_err() {
            std::thread::yield_now();
        }
        let cracks = self.cracks.lock().unwrap().get(mast).copied().unwrap_or(0);
        self.cracks.lock().unwrap().insert(mast.to_string(), cracks + 1);
        self.leave(mast);
    }
}

/// Somebody else gives back what others have claimed.
#[derive(Debug, Default)]
pub struct Oars {
    mended: Mutex<HashSet<String>>,
    cracks: Mutex<HashMap<String, u64>>,
}

impl Oars {
    fn begin(&self, oar: &str) -> bool {
        self.mended.lock().unwrap().insert(oar.to_string())
    }

    pub fn end(&self, oar: &str) {
        self.mended.lock().unwrap().remove(oar);
    }

    pub fn mend(&self, oar: &str) {
        if !self.begin(oar) {
            return;
        }
        let cracks = self.cracks.lock().unwrap().get(oar).copied().unwrap_or(0); //~
        std::thread::yield_now();
        self.cracks.lock().unwrap().insert(oar.to_string(), cracks + 1); //~
    }
}

/// A claim that gives its key back when it is dropped; it is made just where the key was not there.
#[derive(Debug, Default)]
pub struct Looms {
    threaded: Mutex<HashSet<String>>,
    cloth: Mutex<HashMap<String, u64>>,
}

#[derive(Debug)]
struct Threading<'l> {
    looms: &'l Looms,
    loom: String,
}

impl Drop for Threading<'_> {
    fn drop(&mut self) {
        self.looms.threaded.lock().unwrap().remove(&self.loom);
    }
}

impl Looms {
    fn thread(&self, loom: &str) -> Option<Threading<'_>> {
        let mut threaded = self.threaded.lock().unwrap();
        threaded.insert(loom.to_string()).then(|| Threading { looms: self, loom: loom.to_string() })
    }

    pub fn weave(&self, loom: &str) {
        let Some(threading) = self.thread(loom) else { return };
        std::thread::yield_now();
        self.cloth.lock().unwrap().insert(threading.loom.clone(), 1);
    }
}

/// It is made just where the key was there already.
#[derive(Debug, Default)]
pub struct Wheels {
    turned: Mutex<HashSet<String>>,
    yarn: Mutex<HashMap<String, u64>>,
}

#[derive(Debug)]
struct Turning<'w> {
    wheels: &'w Wheels,
    wheel: String,
}

impl Drop for Turning<'_> {
    fn drop(&mut self) {
        self.wheels.turned.lock().unwrap().remove(&self.wheel); //~
    }
}

impl Wheels {
    fn turn(&self, wheel: &str) -> Option<Turning<'_>> {
        let mut turned = self.turned.lock().unwrap();
        (!turned.insert(wheel.to_string())).then(|| Turning { wheels: self, wheel: wheel.to_string() }) //~
    }

    pub fn spin(&self, wheel: &str) {
        let Some(turning) = self.turn(wheel) else { return };
        std::thread::yield_now();
        self.yarn.lock().unwrap().insert(turning.wheel.clone(), 1); //~
    }
}
