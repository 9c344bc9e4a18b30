// An executable, threads of std. To sleep is not to wait for the thread that loads.
use std::collections::HashSet;
use std::sync::{Arc, RwLock};
use std::{fs, thread, time::Duration};

type Words = Arc<RwLock<HashSet<String>>>;

fn load(words: &Words) {
    let text = fs::read_to_string("/usr/share/dict/words").unwrap_or_default();
    words.write().unwrap().extend(text.lines().map(str::to_owned)); //~
}

fn main() {
    let words = Words::default();
    let loaded = Arc::clone(&words);
    let loader = thread::spawn(move || load(&loaded));
    let asked = std::env::args().nth(1).unwrap_or_default();
    thread::sleep(Duration::from_millis(200));
    let known = words.read().unwrap().contains(&asked); //~
    println!("{asked}: {}", if known { "a word" } else { "unknown" });
    loader.join().unwrap();
}
