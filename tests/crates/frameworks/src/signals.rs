//! A signal may come at any time.
use std::sync::{Arc, Mutex};

pub fn install() {
    let state = Arc::new(Mutex::new(0));
    let _ = ctrlc::set_handler(move || {
        let seen = *state.lock().unwrap(); //~
        *state.lock().unwrap() = seen * 2; //~
    });
    let fine = Arc::new(Mutex::new(0));
    let _ = ctrlc::set_handler(move || *fine.lock().unwrap() += 1);
}
