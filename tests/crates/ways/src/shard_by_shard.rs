//! The locks of elements, taken one after the other by a lazy iterator, or all at once.

use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct Drawer {
    letters: Vec<u32>,
    index: Vec<u32>,
}

impl Drawer {
    fn empty(&mut self, out: &mut Vec<u32>) {
        let gone: Vec<u32> = self.letters.drain(..).collect();
        if !gone.is_empty() {
            self.index.clear();
        }
        out.extend(gone);
    }
}

/// Each guard is handed on to the next closure, which drops it before the next one is taken.
#[derive(Default)]
pub struct Cabinet {
    drawers: Vec<Mutex<Drawer>>,
}

impl Cabinet {
    pub fn empty(&self) -> usize {
        let mut out = Vec::new();
        self.drawers
            .iter()
            .map(|drawer| drawer.lock().unwrap())
            .for_each(|mut drawer| drawer.empty(&mut out));
        out.len()
    }

    pub fn empty_in_turn(&self) -> usize {
        let mut out = Vec::new();
        for mut drawer in self.drawers.iter().map(|drawer| drawer.lock().unwrap()) {
            drawer.empty(&mut out);
        }
        out.len()
    }

    pub fn empty_at_once(&self) -> usize {
        let mut out = Vec::new();
        let all: Vec<MutexGuard<'_, Drawer>> =
            self.drawers.iter().map(|drawer| drawer.lock().unwrap()).collect();
        for mut drawer in all {
            drawer.empty(&mut out);
        }
        out.len()
    }

    pub fn put(&self, letter: u32) {
        let mut drawer = self.drawers[letter as usize % self.drawers.len()].lock().unwrap();
        drawer.letters.push(letter);
        drawer.index.push(letter);
    }
}

/// The guard is given back between the look and the change.
#[derive(Default)]
pub struct Shelf {
    drawers: Vec<Mutex<Drawer>>,
}

impl Shelf {
    pub fn empty_full(&self) {
        self.drawers
            .iter()
            .filter(|drawer| drawer.lock().unwrap().letters.len() > 9) //~
            .for_each(|drawer| drawer.lock().unwrap().letters.clear()); //~
    }

    pub fn put(&self, letter: u32) {
        self.drawers[letter as usize % self.drawers.len()].lock().unwrap().letters.push(letter);
    }

    pub fn take(&self, drawer: usize) -> Vec<u32> {
        std::mem::take(&mut self.drawers[drawer].lock().unwrap().letters)
    }
}
