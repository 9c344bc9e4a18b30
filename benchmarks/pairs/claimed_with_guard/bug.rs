// A thumbnail is made by one thread at a time; the claim is given back when the guard is dropped.
use parking_lot::Mutex;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

#[derive(Default)]
pub struct Thumbnails { busy: Mutex<HashSet<PathBuf>> }

struct Claim<'a> { of: &'a Thumbnails, path: &'a Path }
impl Drop for Claim<'_> {
    fn drop(&mut self) { self.of.busy.lock().remove(self.path); }
}

impl Thumbnails {
    fn claim<'a>(&'a self, path: &'a Path) -> Option<Claim<'a>> {
        if self.busy.lock().contains(path) { //~
            return None;
        }
        self.busy.lock().insert(path.to_path_buf()); //~
        Some(Claim { of: self, path })
    }
    pub fn make(&self, path: &Path) -> std::io::Result<bool> {
        let Some(_claim) = self.claim(path) else { return Ok(false) };
        let image = std::fs::read(path)?;
        std::fs::write(path.with_extension("thumb"), &image[..image.len() / 8])?;
        Ok(true)
    }
}
