// The first one that finds a word enters it, the next ones count.
use dashmap::DashMap;
use rayon::prelude::*;

#[derive(Default)]
pub struct Index { counts: DashMap<String, u32> }

impl Index {
    fn count(&self, word: &str) {
        if let Some(mut n) = self.counts.get_mut(word) { //~
            *n += 1;
            return;
        }
        self.counts.insert(word.to_string(), 1); //~
    }
    pub fn index(&self, texts: &[String]) { texts.par_iter().for_each(|text| text.split_whitespace().for_each(|word| self.count(word))); }
    pub fn of(&self, word: &str) -> u32 { self.counts.get(word).map_or(0, |n| *n) }
}
