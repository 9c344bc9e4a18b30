//! A dead entry is seen dead, and whatever is there by then is removed: a new owner's entry goes with it.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
pub struct Texture { pub name: String }
#[derive(Default)]
pub struct Textures { known: Mutex<HashMap<String, Weak<Texture>>> }
impl Textures {
    pub fn load(&self, name: &str) -> Arc<Texture> {
        let mut known = self.known.lock().unwrap();
        if let Some(texture) = known.get(name).and_then(Weak::upgrade) {
            return texture;
        }
        let texture = Arc::new(Texture { name: name.into() });
        known.insert(name.into(), Arc::downgrade(&texture));
        texture
    }
    pub fn forget(&self, name: &str) -> bool {
        let dead = self.known.lock().unwrap().get(name).is_some_and(|weak| weak.strong_count() == 0); //~
        if dead {
            self.known.lock().unwrap().remove(name); //~
        }
        dead
    }
}
