//! The mapped guard is let go between the look and the change.
use parking_lot::{MappedRwLockWriteGuard, RwLock, RwLockWriteGuard};
use std::collections::HashMap;
#[derive(Default)]
pub struct Profile { visits: u32, badge: Option<String> }
#[derive(Default)]
pub struct Profiles { by_id: RwLock<HashMap<u64, Profile>> }
impl Profiles {
    fn profile(&self, id: u64) -> MappedRwLockWriteGuard<'_, Profile> {
        RwLockWriteGuard::map(self.by_id.write(), |profiles| profiles.entry(id).or_default())
    }
    pub fn visit(&self, id: u64) -> Option<String> {
        let visits = self.profile(id).visits + 1; //~
        let mut profile = self.profile(id);
        profile.visits = visits; //~
        if visits == 100 { profile.badge = Some("regular".into()); }
        profile.badge.clone()
    }
}
