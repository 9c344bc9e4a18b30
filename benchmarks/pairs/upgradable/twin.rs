// A font is loaded once; between the read lock and the write lock others may load it and hand out its number.
use indexmap::IndexMap;
use parking_lot::{RwLock, RwLockUpgradableReadGuard};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FontId(pub usize);

#[derive(Default)]
pub struct Fonts { loaded: RwLock<IndexMap<String, Vec<u8>>> }

impl Fonts {
    pub fn load(&self, name: &str) -> FontId {
        let loaded = self.loaded.upgradable_read();
        if let Some(at) = loaded.get_index_of(name) {
            return FontId(at);
        }
        let id = FontId(loaded.len());
        let data = std::fs::read(name).unwrap_or_default();
        let mut loaded = RwLockUpgradableReadGuard::upgrade(loaded);
        loaded.insert(name.to_string(), data);
        id
    }
    pub fn size(&self, id: FontId) -> Option<usize> { self.loaded.read().get_index(id.0).map(|(_, data)| data.len()) }
}
