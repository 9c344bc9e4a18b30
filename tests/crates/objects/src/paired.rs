//! What is in a tuple that callers have is in a place of its own, in a lock, in a collection and as it is.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

pub struct Plot {
    trees: Mutex<u32>,
}

pub struct Estate {
    plots: RwLock<Vec<(u32, Arc<Plot>)>>,
    named: RwLock<HashMap<String, (u32, Arc<Plot>)>>,
    home: (Arc<Plot>, Arc<Plot>),
    last: Mutex<(u32, Option<Arc<Plot>>)>,
}

impl Estate {
    pub fn plant(&self, number: u32) {
        for (at, plot) in self.plots.read().unwrap().iter() {
            if *at == number {
                let trees = *plot.trees.lock().unwrap(); //~
                *plot.trees.lock().unwrap() = trees + 1; //~
            }
        }
    }

    pub fn plant_named(&self, name: &str) {
        let found = self.named.read().unwrap().get(name).map(|(_, plot)| plot.clone());
        let Some(plot) = found else { return };
        let trees = *plot.trees.lock().unwrap(); //~
        *plot.trees.lock().unwrap() = trees + 1; //~
    }

    pub fn plant_behind(&self) {
        let trees = *self.home.1.trees.lock().unwrap(); //~
        *self.home.1.trees.lock().unwrap() = trees + 1; //~
    }

    /// The other one of the two.
    pub fn plant_before(&self) {
        *self.home.0.trees.lock().unwrap() += 1;
    }

    pub fn plant_last(&self) {
        let (number, plot) = &*self.last.lock().unwrap();
        if let Some(plot) = plot.as_ref().filter(|_| *number > 0) {
            *plot.trees.lock().unwrap() += 1;
        }
    }
}
