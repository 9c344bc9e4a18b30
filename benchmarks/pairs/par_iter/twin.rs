//! By fetch_max.
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
pub struct Corpus { texts: Vec<String> }
impl Corpus {
    pub fn of(texts: Vec<String>) -> Self { Corpus { texts } }
    pub fn longest(&self) -> usize {
        let longest = AtomicUsize::new(0);
        self.texts.par_iter().flat_map_iter(|text| text.split_whitespace()).for_each(|word| {
            longest.fetch_max(word.len(), Ordering::Relaxed);
        });
        longest.into_inner()
    }
}
