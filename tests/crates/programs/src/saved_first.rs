//! A flag is cleared before what it stands for is written.
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
        self.lines.lock().unwrap().push(line);
        self.dirty.store(true, Ordering::SeqCst);
    }

    fn save(&self) {
        if !self.dirty.swap(false, Ordering::SeqCst) {
            return;
        }
        let all = self.lines.lock().unwrap().join("\n");
        if std::fs::write("notes", all).is_err() {
            self.dirty.store(true, Ordering::SeqCst);
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
