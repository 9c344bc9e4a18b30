//! What a trait provides, callers have on each type that implements it and has no method of its own instead; be that type theirs.

use std::sync::Mutex;

/// Nothing here implements it.
pub trait Till {
    fn drawer(&self) -> &Mutex<u32>;

    fn pay_out(&self) -> bool {
        if *TOTAL.lock().unwrap() == 0 { //~
            return false;
        }
        *TOTAL.lock().unwrap() -= 1; //~
        true
    }

    fn pay_in(&self) {
        *TOTAL.lock().unwrap() += 1;
        *self.drawer().lock().unwrap() += 1;
    }
}

static TOTAL: Mutex<u32> = Mutex::new(0);

/// One type has it as it is, another one does better.
pub trait Keeper {
    fn keys(&self) -> &Mutex<Vec<u32>>;

    fn keep(&self, key: u32) {
        if self.keys().lock().unwrap().contains(&key) { //~
            return;
        }
        self.keys().lock().unwrap().push(key); //~
    }
}

#[derive(Default)]
pub struct Porter {
    keys: Mutex<Vec<u32>>,
}

impl Keeper for Porter {
    fn keys(&self) -> &Mutex<Vec<u32>> {
        &self.keys
    }
}

#[derive(Default)]
pub struct Warden {
    keys: Mutex<Vec<u32>>,
}

impl Keeper for Warden {
    fn keys(&self) -> &Mutex<Vec<u32>> {
        &self.keys
    }

    fn keep(&self, key: u32) {
        let mut keys = self.keys.lock().unwrap();
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
}

/// Callers cannot name it.
mod inner {
    use std::sync::Mutex;

    pub trait Hidden {
        fn count(&self) -> &Mutex<u32>;

        fn up(&self) {
            let count = *self.count().lock().unwrap();
            *self.count().lock().unwrap() = count + 1;
        }
    }
}

pub struct Alone(Mutex<u32>);

impl inner::Hidden for Alone {
    fn count(&self) -> &Mutex<u32> {
        &self.0
    }
}

impl Alone {
    pub fn up_alone(&mut self) {
        inner::Hidden::up(self);
    }
}
