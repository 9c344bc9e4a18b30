//! An iterator of which several items are worked on at once.

use std::sync::{Arc, Mutex};

use rayon::prelude::*;

type Hits = Arc<Mutex<u64>>;

fn count(hits: &Hits) {
    *hits.lock().unwrap() += 1;
}

fn main() {
    let hits = Hits::default();
    (0..4).into_par_iter().for_each(|_| count(&hits));
    println!("{}", hits.lock().unwrap());
}
