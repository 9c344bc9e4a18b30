//! Traits whose modules have no code.
use std::sync::Mutex;

static SEEN: Mutex<u32> = Mutex::new(0);
static FINE: Mutex<u32> = Mutex::new(0);

/// A trait without a body of its own, in a module without one.
mod ports {
    pub trait Port {
        fn add(&self);
    }
}

struct Bad;
struct Good;

impl ports::Port for Bad {
    fn add(&self) {
        let seen = *SEEN.lock().unwrap(); //~
        *SEEN.lock().unwrap() = seen * 2; //~
    }
}

impl ports::Port for Good {
    fn add(&self) {
        let mut fine = FINE.lock().unwrap();
        let seen = *fine;
        *fine = seen * 2;
    }
}

fn all() -> Vec<Box<dyn ports::Port>> {
    vec![Box::new(Bad), Box::new(Good)]
}

pub fn add_first() {
    if let Some(port) = all().pop() {
        port.add();
    }
}
