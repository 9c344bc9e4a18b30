//! A change computed without the lock, stored whatever happened meanwhile.
use std::sync::{Arc, RwLock};
use std::thread;

#[derive(Default)]
struct State {
    version: u64,
    text: String,
}

fn update(state: &RwLock<State>) -> bool {
    let text = {
        let state = state.read().unwrap();
        state.text.clone()
    };
    let text = text.to_uppercase();
    let mut state = state.write().unwrap();
    state.version += 1;
    state.text = text;
    true
}

fn main() {
    let state = Arc::new(RwLock::new(State::default()));
    for _ in 0..3 {
        let state = state.clone();
        thread::spawn(move || while !update(&state) {});
    }
}
