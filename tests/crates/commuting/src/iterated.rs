//! Iterators of one's own, whose `next` is called by std.

use std::collections::HashMap;
use std::sync::Mutex;

/// Each step looks, and changes what it saw under the next lock.
#[derive(Default)]
pub struct Bakehouse {
    flour: Mutex<HashMap<u32, u32>>,
}

struct Batches<'a> {
    of: &'a Bakehouse,
    bin: u32,
}

impl Iterator for Batches<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.bin > 5 {
            return None;
        }
        self.bin += 1;
        let left = self.of.flour.lock().unwrap().get(&self.bin).copied().unwrap_or(0); //~
        self.of.flour.lock().unwrap().insert(self.bin, left.saturating_sub(1)); //~
        Some(left)
    }
}

impl Bakehouse {
    pub fn bake_all(&self) -> u32 {
        Batches { of: self, bin: 0 }.sum()
    }
}

/// Each step is one critical section.
#[derive(Default)]
pub struct Mill {
    flour: Mutex<HashMap<u32, u32>>,
}

struct Sacks<'a> {
    of: &'a Mill,
    bin: u32,
}

impl Iterator for Sacks<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.bin > 5 {
            return None;
        }
        self.bin += 1;
        let mut flour = self.of.flour.lock().unwrap();
        let left = flour.get(&self.bin).copied().unwrap_or(0);
        flour.insert(self.bin, left.saturating_sub(1));
        Some(left)
    }
}

impl Mill {
    pub fn fill_all(&self) -> u32 {
        Sacks { of: self, bin: 0 }.sum()
    }
}
