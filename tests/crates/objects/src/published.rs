//! State that is replaced as a whole behind a pointer in a lock: who goes where the pointer leads looks at it.

use std::sync::{Arc, Mutex, RwLock};

#[derive(Default)]
pub struct Routes {
    epoch: u64,
    first: usize,
    names: Vec<String>,
}

/// The later one stays: not if it is looked before the lock is taken again.
#[derive(Default)]
pub struct Router {
    current: RwLock<Arc<Routes>>,
}

impl Router {
    pub fn publish(&self, routes: Routes) {
        if self.current.read().unwrap().epoch >= routes.epoch { //~
            return;
        }
        *self.current.write().unwrap() = Arc::new(routes); //~
    }

    /// An index of one state, used in another.
    pub fn first(&self) -> String {
        let first = self.current.read().unwrap().first; //~
        let current = self.current.read().unwrap().clone(); //~
        current.names[first].clone()
    }

    pub fn first_of_one(&self) -> String {
        let current = self.current.read().unwrap().clone();
        current.names[current.first].clone()
    }
}

/// Looks again where it replaces.
#[derive(Default)]
pub struct CarefulRouter {
    current: RwLock<Arc<Routes>>,
}

impl CarefulRouter {
    pub fn publish(&self, routes: Routes) {
        let mut current = self.current.write().unwrap();
        if current.epoch < routes.epoch {
            *current = Arc::new(routes);
        }
    }

    pub fn named(&self, index: usize) -> Option<String> {
        self.current.read().unwrap().names.get(index).cloned()
    }
}

/// An element of how many there were.
#[derive(Default)]
pub struct Lots {
    all: Mutex<Vec<u64>>,
}

impl Lots {
    pub fn draw(&self, random: usize) -> u64 {
        let count = self.all.lock().unwrap().len(); //~
        self.all.lock().unwrap()[random % count] //~
    }

    pub fn draw_at_once(&self, random: usize) -> u64 {
        let all = self.all.lock().unwrap();
        all[random % all.len()]
    }

    pub fn forget(&self) {
        self.all.lock().unwrap().pop(); //~
    }
}

/// Pointers that nobody replaces lead to the same for ever.
pub struct Parts {
    names: Arc<Vec<String>>,
    used: Mutex<Vec<Arc<String>>>,
}

impl Parts {
    pub fn new(names: Vec<String>) -> Self {
        Parts { names: Arc::new(names), used: Mutex::default() }
    }

    pub fn name(&self, index: usize) -> usize {
        self.names.len() + self.names[index].len()
    }

    pub fn mark(&self, name: Arc<String>) {
        self.used.lock().unwrap().push(name);
    }
}
