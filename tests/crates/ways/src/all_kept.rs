//! The guards of all elements, kept in a list: they are held while they are looked at one by one, and no longer than the list is there.

use std::sync::{Mutex, MutexGuard};

#[derive(Default)]
pub struct Drawers {
    collected: Vec<Mutex<u64>>,
    given_back: Vec<Mutex<u64>>,
    by_value: Vec<Mutex<u64>>,
    one: Mutex<u64>,
    kept: Mutex<u64>,
}

impl Drawers {
    pub fn level_at_once(&self) -> u64 {
        let mut open: Vec<_> = self.collected.iter().map(|drawer| drawer.lock().unwrap()).collect();
        let mut sum = 0;
        for (number, drawer) in open.iter().enumerate() {
            sum += **drawer + number as u64;
        }
        for drawer in &mut open {
            **drawer = sum;
        }
        sum
    }

    /// All are closed again before anything is put in.
    pub fn level_later(&self) -> u64 {
        let mut sum = 0;
        {
            let mut open: Vec<MutexGuard<'_, u64>> = Vec::new();
            for drawer in &self.given_back {
                open.push(drawer.lock().unwrap());
            }
            for drawer in open.iter() {
                sum += **drawer; //~
            }
        }
        for drawer in &self.given_back {
            *drawer.lock().unwrap() = sum; //~
        }
        sum
    }

    /// Each is closed as it was looked at.
    pub fn level_one_by_one(&self) -> u64 {
        let mut open: Vec<MutexGuard<'_, u64>> = Vec::new();
        for drawer in &self.by_value {
            open.push(drawer.lock().unwrap());
        }
        let mut sum = 0;
        for drawer in open {
            sum += *drawer; //~
        }
        for drawer in &self.by_value {
            *drawer.lock().unwrap() = sum; //~
        }
        sum
    }

    /// One is taken out of the list again, and closed.
    pub fn count(&self) -> u64 {
        let mut open: Vec<MutexGuard<'_, u64>> = Vec::new();
        open.push(self.one.lock().unwrap());
        let before = *open[0]; //~
        open.pop();
        *self.one.lock().unwrap() = before + 1; //~
        before
    }

    /// It stays in the list.
    pub fn count_at_once(&self) -> u64 {
        let mut open: Vec<MutexGuard<'_, u64>> = Vec::new();
        open.push(self.kept.lock().unwrap());
        let before = *open[0];
        *open[0] = before + 1;
        before
    }
}
