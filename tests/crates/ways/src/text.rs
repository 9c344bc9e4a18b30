//! Text in a lock: what is read of it by what it is lent as, is read.

use std::path::PathBuf;
use std::sync::Mutex;

#[derive(Default)]
pub struct Note {
    text: Mutex<String>,
    folder: Mutex<PathBuf>,
}

impl Note {
    /// What was added meanwhile is lost.
    pub fn tidy(&self) {
        let text = self.text.lock().unwrap().trim().to_owned(); //~
        *self.text.lock().unwrap() = text; //~
    }

    pub fn add(&self, more: &str) {
        self.text.lock().unwrap().push_str(more); //~
    }

    /// Two may go down at once, and be only one level deeper.
    pub fn down(&self, into: &str) {
        let folder = self.folder.lock().unwrap().join(into); //~
        *self.folder.lock().unwrap() = folder; //~
    }
}

/// The same, under one guard.
#[derive(Default)]
pub struct Card {
    text: Mutex<String>,
    folder: Mutex<PathBuf>,
}

impl Card {
    pub fn tidy(&self) {
        let mut text = self.text.lock().unwrap();
        *text = text.trim().to_owned();
    }

    pub fn add(&self, more: &str) {
        self.text.lock().unwrap().push_str(more);
    }

    pub fn down(&self, into: &str) {
        let mut folder = self.folder.lock().unwrap();
        let deeper = folder.join(into);
        *folder = deeper;
    }
}
