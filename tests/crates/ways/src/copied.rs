//! Settings that are changed in a copy, which then takes the place of what is there.

use std::sync::RwLock;

#[derive(Clone, Default)]
pub struct Values {
    width: u32,
    title: String,
}

/// The copy is made before the lock is taken under which it is put back, by a helper that makes one of its own.
#[derive(Default)]
pub struct Settings {
    values: RwLock<Values>,
}

impl Settings {
    fn change<R>(&self, how: impl FnOnce(&mut Values) -> R) -> R {
        let mut values = self.values.write().unwrap();
        let mut copy = values.clone();
        let result = how(&mut copy);
        *values = copy; //~
        result
    }

    pub fn set_width(&self, width: u32) {
        let mut values = self.values.read().unwrap().clone(); //~
        values.width = width;
        self.change(|all| *all = values);
    }

    pub fn set_title(&self, title: String) {
        self.change(|all| all.title = title);
    }
}

/// The change is made to the helper's copy.
#[derive(Default)]
pub struct Preferences {
    values: RwLock<Values>,
}

impl Preferences {
    fn change<R>(&self, how: impl FnOnce(&mut Values) -> R) -> R {
        let mut values = self.values.write().unwrap();
        let mut copy = values.clone();
        let result = how(&mut copy);
        *values = copy;
        result
    }

    pub fn set_width(&self, width: u32) {
        let known = self.values.read().unwrap().clone();
        if known.width != width {
            self.change(|all| all.width = width);
        }
    }

    pub fn set_title(&self, title: String) {
        self.change(|all| all.title = title);
    }
}
