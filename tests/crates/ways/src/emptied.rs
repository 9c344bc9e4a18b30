//! Lists that are made anew: emptied, and then filled.

use std::collections::HashMap;
use std::sync::RwLock;

/// Who looks in between finds nothing, or a part.
#[derive(Default)]
pub struct Routes {
    routes: RwLock<HashMap<u32, String>>,
}

impl Routes {
    pub fn reload(&self, all: Vec<(u32, String)>) {
        self.routes.write().unwrap().clear(); //~
        for (number, route) in all {
            self.routes.write().unwrap().insert(number, route); //~
        }
    }

    pub fn route(&self, number: u32) -> Option<String> {
        self.routes.read().unwrap().get(&number).cloned() //~
    }
}

/// Under one guard.
#[derive(Default)]
pub struct Paths {
    paths: RwLock<HashMap<u32, String>>,
}

impl Paths {
    pub fn reload(&self, all: Vec<(u32, String)>) {
        let mut paths = self.paths.write().unwrap();
        paths.clear();
        for (number, path) in all {
            paths.insert(number, path);
        }
    }

    pub fn path(&self, number: u32) -> Option<String> {
        self.paths.read().unwrap().get(&number).cloned()
    }
}

/// It may be empty: others leave it so.
#[derive(Default)]
pub struct Hints {
    hints: RwLock<HashMap<u32, String>>,
}

impl Hints {
    pub fn reload(&self, all: Vec<(u32, String)>) {
        self.hints.write().unwrap().clear();
        for (number, hint) in all {
            self.hints.write().unwrap().insert(number, hint);
        }
    }

    pub fn forget(&self) {
        self.hints.write().unwrap().clear();
    }

    pub fn hint(&self, number: u32) -> Option<String> {
        self.hints.read().unwrap().get(&number).cloned()
    }
}
