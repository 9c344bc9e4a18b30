//! An option that is filled only where there is nothing: who has found something in it finds that still.

use std::sync::Mutex;

/// Who opens while one is being closed opens nothing.
#[derive(Default)]
pub struct Door {
    closing: Mutex<()>,
    opened: Mutex<Option<String>>,
}

impl Door {
    pub fn open(&self, name: &str) -> String {
        self.opened.lock().unwrap().get_or_insert_with(|| name.to_string()).clone()
    }

    pub fn close(&self) -> Option<String> {
        let _one = self.closing.lock().unwrap();
        let found = self.opened.lock().unwrap().clone()?;
        println!("{found} is closed");
        *self.opened.lock().unwrap() = None;
        Some(found)
    }
}

/// Who opens opens another one, and it is that one that is closed.
#[derive(Default)]
pub struct Gate {
    closing: Mutex<()>,
    opened: Mutex<Option<String>>,
}

impl Gate {
    pub fn open(&self, name: &str) {
        *self.opened.lock().unwrap() = Some(name.to_string()); //~
    }

    pub fn close(&self) -> Option<String> {
        let _one = self.closing.lock().unwrap();
        let found = self.opened.lock().unwrap().clone()?; //~
        println!("{found} is closed");
        *self.opened.lock().unwrap() = None; //~
        Some(found)
    }
}
