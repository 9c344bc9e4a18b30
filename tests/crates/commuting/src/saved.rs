//! A flag that says that something has to be saved, and is lowered when that was done: it takes one who has raised it before, and one who
//! does so meanwhile.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, RwLock};

#[derive(Default)]
pub struct After {
    cells: RwLock<Vec<u8>>,
    unsaved: AtomicBool,
}

impl After {
    pub fn set(&self, at: usize, value: u8) {
        if let Some(cell) = self.cells.write().unwrap().get_mut(at) {
            *cell = value; //~
        }
        self.unsaved.store(true, Ordering::SeqCst); //~
    }

    pub fn save(&self) -> std::io::Result<()> {
        if !self.unsaved.load(Ordering::SeqCst) { //~
            return Ok(());
        }
        let bytes = self.cells.read().unwrap().clone(); //~
        std::fs::write("cells", bytes)?;
        self.unsaved.store(false, Ordering::SeqCst); //~
        Ok(())
    }
}

/// Lowered before it is saved, and raised again if that fails.
#[derive(Default)]
pub struct Before {
    cells: RwLock<Vec<u8>>,
    unsaved: AtomicBool,
}

impl Before {
    pub fn set(&self, at: usize, value: u8) {
        if let Some(cell) = self.cells.write().unwrap().get_mut(at) {
            *cell = value;
        }
        self.unsaved.store(true, Ordering::SeqCst);
    }

    pub fn save(&self) -> std::io::Result<()> {
        if !self.unsaved.swap(false, Ordering::SeqCst) {
            return Ok(());
        }
        let bytes = self.cells.read().unwrap().clone();
        let saved = std::fs::write("cells", bytes);
        if saved.is_err() {
            self.unsaved.store(true, Ordering::SeqCst);
        }
        saved
    }
}

#[derive(Default)]
struct Sheet {
    cells: Vec<u8>,
    unsaved: bool,
}

/// Both under one lock.
#[derive(Default)]
pub struct Together(Mutex<Sheet>);

impl Together {
    pub fn set(&self, at: usize, value: u8) {
        let mut sheet = self.0.lock().unwrap();
        if let Some(cell) = sheet.cells.get_mut(at) {
            *cell = value;
        }
        sheet.unsaved = true;
    }

    pub fn save(&self) -> std::io::Result<()> {
        let mut sheet = self.0.lock().unwrap();
        if !std::mem::take(&mut sheet.unsaved) {
            return Ok(());
        }
        let bytes = sheet.cells.clone();
        drop(sheet);
        std::fs::write("cells", bytes)
    }
}
