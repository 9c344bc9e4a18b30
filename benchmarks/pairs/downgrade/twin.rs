//! It is downgraded.
use parking_lot::{RwLock, RwLockWriteGuard};
#[derive(Default)]
pub struct Doc { text: String, revision: u64 }
#[derive(Default)]
pub struct Shared { doc: RwLock<Doc> }
impl Shared {
    pub fn edit(&self, add: &str) -> (u64, usize) {
        let mut doc = self.doc.write();
        doc.text.push_str(add);
        doc.revision += 1;
        let revision = doc.revision;
        let doc = RwLockWriteGuard::downgrade(doc);
        (revision, doc.text.len())
    }
}
