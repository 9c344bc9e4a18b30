//! A signal may come at any time, but no two at once.
use std::sync::{Arc, Mutex};

pub fn install() {
    let state = Arc::new(Mutex::new(0));
    let _ = ctrlc::set_handler(move || {
        let seen = *state.lock().unwrap();
        *state.lock().unwrap() = seen * 2;
    });
    let state = Arc::new(Mutex::new(0));
    let others = state.clone();
    let _ = ctrlc::set_handler(move || {
        let seen = *state.lock().unwrap(); //~
        *state.lock().unwrap() = seen * 2; //~
    });
    std::thread::spawn(move || *others.lock().unwrap() += 1);
}
