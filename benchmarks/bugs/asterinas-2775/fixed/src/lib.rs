//! The caps-lock state of a console keyboard, changed from interrupt handlers.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

#[derive(Default)]
pub struct Keyboard {
    caps_lock: AtomicBool,
}

impl Keyboard {
    /// The caps-lock key was pressed.
    pub fn press_caps_lock(&self) {
        self.caps_lock.fetch_xor(true, Relaxed);
    }

    /// A letter key was pressed.
    pub fn press_letter(&self, letter: char) -> char {
        if self.caps_lock.load(Relaxed) {
            letter.to_ascii_uppercase()
        } else {
            letter
        }
    }
}
