//! `get_mut` under the lock tells.
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
#[derive(Default)]
pub struct Blob { pub bytes: Vec<u8> }
#[derive(Default)]
pub struct Blobs { all: Mutex<HashMap<u32, Arc<Blob>>> }
impl Blobs {
    pub fn get(&self, id: u32) -> Option<Arc<Blob>> { self.all.lock().unwrap().get(&id).cloned() }
    pub fn put(&self, id: u32, bytes: Vec<u8>) { self.all.lock().unwrap().insert(id, Arc::new(Blob { bytes })); }
    pub fn clear_unused(&self, id: u32) -> bool {
        let mut all = self.all.lock().unwrap();
        let Some(blob) = all.get_mut(&id).and_then(Arc::get_mut) else { return false };
        blob.bytes.clear();
        true
    }
}

