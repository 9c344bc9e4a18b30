// "Unsaved" is cleared when the document has been written, although it was edited meanwhile.
use parking_lot::RwLock;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

pub struct Sheet { cells: RwLock<Vec<f64>>, unsaved: AtomicBool, path: PathBuf }

impl Sheet {
    pub fn new(path: PathBuf) -> Self { Sheet { cells: RwLock::new(vec![0.0; 100]), unsaved: AtomicBool::new(false), path } }
    pub fn set(&self, at: usize, value: f64) {
        if let Some(cell) = self.cells.write().get_mut(at) { *cell = value; }
        self.unsaved.store(true, SeqCst);
    }
    fn bytes(&self) -> Vec<u8> { self.cells.read().iter().flat_map(|c| c.to_le_bytes()).collect() }
    pub fn autosave(&self) -> std::io::Result<()> {
        if !self.unsaved.load(SeqCst) { //~
            return Ok(());
        }
        std::fs::write(&self.path, self.bytes())?; //~
        self.unsaved.store(false, SeqCst); //~
        Ok(())
    }
}
