//! A quick look whether there is anything, and then all of it is taken in one step: what came, or went, in between makes no difference.

use std::sync::Mutex;

#[derive(Default)]
struct Heap {
    leaves: Vec<u32>,
    raked: usize,
}

#[derive(Default)]
pub struct Garden {
    heap: Mutex<Heap>,
    compost: Mutex<Vec<u32>>,
    weight: Mutex<usize>,
}

impl Garden {
    pub fn rake(&self, leaf: u32) {
        let mut heap = self.heap.lock().unwrap();
        heap.leaves.push(leaf);
        heap.raked += 1;
    }

    pub fn clear(&self) {
        if self.heap.lock().unwrap().raked == 0 {
            return;
        }
        let taken = std::mem::replace(&mut *self.heap.lock().unwrap(), Heap { leaves: Vec::new(), raked: 0 });
        let mut compost = self.compost.lock().unwrap();
        compost.extend(taken.leaves);
        compost.sort();
    }

    pub fn weight(&self) -> usize {
        self.compost.lock().unwrap().len() + *self.weight.lock().unwrap()
    }
}

/// What was seen is counted, not what was taken.
#[derive(Default)]
pub struct Meadow {
    heap: Mutex<Vec<u32>>,
    weight: Mutex<usize>,
}

impl Meadow {
    pub fn rake(&self, leaf: u32) {
        self.heap.lock().unwrap().push(leaf); //~
    }

    pub fn clear(&self) -> Option<Vec<u32>> {
        let seen = self.heap.lock().unwrap().len(); //~
        if seen == 0 {
            return None;
        }
        let taken = std::mem::take(&mut *self.heap.lock().unwrap()); //~
        *self.weight.lock().unwrap() += seen;
        Some(taken)
    }

    pub fn weight(&self) -> usize {
        *self.weight.lock().unwrap()
    }
}
