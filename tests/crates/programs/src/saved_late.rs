//! A flag is cleared after what it stands for was written: what is added meanwhile is never saved.
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

#[derive(Default)]
struct Notes {
    lines: Mutex<Vec<String>>,
    dirty: AtomicBool,
}

impl Notes {
    fn add(&self, line: String) {
        self.lines.lock().unwrap().push(line); //~
        self.dirty.store(true, Ordering::SeqCst); //~
    }

    fn save(&self) {
        if !self.dirty.load(Ordering::SeqCst) {
            return;
        }
        let all = self.lines.lock().unwrap().join("\n"); //~
        if std::fs::write("notes", all).is_ok() {
            self.dirty.store(false, Ordering::SeqCst); //~
        }
    }
}

fn main() {
    let notes = Arc::new(Notes::default());
    let saver = notes.clone();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            saver.save();
        }
    });
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        notes.add(line);
    }
}
