//! The write lock is let go before what was written is read.
use parking_lot::{RwLock, RwLockWriteGuard};
#[derive(Default)]
pub struct Doc { text: String, revision: u64 }
#[derive(Default)]
pub struct Shared { doc: RwLock<Doc> }
impl Shared {
    pub fn edit(&self, add: &str) -> (u64, usize) {
        let mut doc = self.doc.write();
        doc.text.push_str(add);
        doc.revision += 1; //~
        let revision = doc.revision;
        drop(doc);
        let doc = self.doc.read();
        (revision, doc.text.len()) //~
    }
}
