//! One function that is called twice with something else to do is no second look.

use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Debug, Default)]
pub struct Profiles {
    by_id: Mutex<HashMap<u64, u64>>,
}

impl Profiles {
    fn with<R>(&self, id: u64, then: impl FnOnce(&mut u64) -> R) -> R {
        then(self.by_id.lock().unwrap().entry(id).or_default()) //~
    }

    pub fn visit(&self, id: u64) -> u64 {
        let visits = self.with(id, |visits| *visits + 1); //~
        self.with(id, |known| *known = visits);
        visits
    }
}

#[derive(Debug, Default)]
pub struct Counts {
    by_id: Mutex<HashMap<u64, u64>>,
}

impl Counts {
    fn with<R>(&self, id: u64, then: impl FnOnce(&mut u64) -> R) -> R {
        then(self.by_id.lock().unwrap().entry(id).or_default())
    }

    pub fn visit(&self, id: u64) -> u64 {
        self.with(id, |visits| *visits = 0);
        self.with(id, |visits| {
            *visits += 1;
            *visits
        })
    }
}
