//! What a closure makes of what it is given, though it touches nothing itself.

use std::sync::{Mutex, MutexGuard};

#[derive(Clone, Copy, Default)]
pub struct Traits {
    muted: bool,
    away: bool,
}

/// Each change is made of what was there before, and that of another one is lost.
#[derive(Default)]
pub struct Member {
    traits: Mutex<Traits>,
}

impl Member {
    fn change(&self, change: impl Fn(Traits) -> Traits) {
        let before = *self.traits.lock().unwrap(); //~
        *self.traits.lock().unwrap() = change(before); //~
    }

    pub fn mute(&self, muted: bool) {
        self.change(|traits| Traits { muted, ..traits });
    }

    pub fn leave(&self, away: bool) {
        self.change(|traits| Traits { away, ..traits });
    }
}

/// The same under one guard.
#[derive(Default)]
pub struct Guest {
    traits: Mutex<Traits>,
}

impl Guest {
    fn change(&self, change: impl Fn(Traits) -> Traits) {
        let mut traits: MutexGuard<'_, Traits> = self.traits.lock().unwrap();
        *traits = change(*traits);
    }

    pub fn mute(&self, muted: bool) {
        self.change(|traits| Traits { muted, ..traits });
    }

    pub fn leave(&self, away: bool) {
        self.change(|traits| Traits { away, ..traits });
    }
}

/// What is put there is the same whatever was there.
#[derive(Default)]
pub struct Panel {
    traits: Mutex<Traits>,
}

impl Panel {
    fn set(&self, make: impl Fn(bool) -> Traits, away: bool) {
        if self.traits.lock().unwrap().muted {
            log(away);
        }
        *self.traits.lock().unwrap() = make(away);
    }

    pub fn mute(&self, muted: bool, away: bool) {
        self.set(|away| Traits { muted, away }, away);
    }
}

fn log(away: bool) {
    let _ = away;
}
