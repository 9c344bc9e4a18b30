//! What is put off, and done only if nothing has come since: the number is looked at again in the section in which the text is taken, and where it
//! does not fit, nothing is done. What becomes of the text may fail, and then nothing more comes.

use std::sync::{Arc, Mutex};

#[derive(Debug, Default)]
struct Draft {
    text: String,
    number: u64,
}

/// Only the last change prints.
#[derive(Clone, Debug, Default)]
pub struct Drafts {
    draft: Arc<Mutex<Draft>>,
    printed: Arc<Mutex<u64>>,
}

impl Drafts {
    pub fn change(&self, text: &str) {
        let number = {
            let mut draft = self.draft.lock().unwrap();
            draft.text.push_str(text);
            draft.number += 1;
            draft.number
        };
        let drafts = self.clone();
        std::thread::spawn(move || {
            std::thread::yield_now();
            let text = {
                let draft = drafts.draft.lock().unwrap();
                if draft.number != number {
                    return;
                }
                draft.text.clone()
            };
            if std::fs::write("draft", &text).is_ok() {
                *drafts.printed.lock().unwrap() += 1;
            }
        });
    }
}

/// The text is taken in a section of its own.
#[derive(Clone, Debug, Default)]
pub struct Letters {
    draft: Arc<Mutex<Draft>>,
    printed: Arc<Mutex<u64>>,
}

impl Letters {
    fn is_last(&self, number: u64) -> bool {
        self.draft.lock().unwrap().number == number //~
    }

    pub fn change(&self, text: &str) {
        let number = {
            let mut draft = self.draft.lock().unwrap();
            draft.text.push_str(text);
            draft.number += 1; //~
            draft.number //~
        };
        let letters = self.clone();
        std::thread::spawn(move || {
            std::thread::yield_now();
            if !letters.is_last(number) {
                return;
            }
            let text = letters.draft.lock().unwrap().text.clone();
            if std::fs::write("letter", &text).is_ok() {
                *letters.printed.lock().unwrap() += 1;
            }
        });
    }
}
