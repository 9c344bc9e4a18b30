//! A text whose changes are computed without holding the lock.

use std::sync::RwLock;

#[derive(Default)]
struct State {
    version: u64,
    text: String,
}

#[derive(Default)]
pub struct Text {
    state: RwLock<State>,
}

impl Text {
    pub fn update(&self, change: impl Fn(&str) -> String) {
        loop {
            let (version, text) = {
                let state = self.state.read().unwrap();
                (state.version, state.text.clone())
            };
            let text = change(&text);
            let mut state = self.state.write().unwrap();
            if state.version == version {
                state.version += 1;
                state.text = text;
                return;
            }
        }
    }

    pub fn get(&self) -> String {
        self.state.read().unwrap().text.clone()
    }
}
