//! `is_completed` is asked, and the hook is pushed outside of the Once.
use std::sync::{Mutex, Once};
static INSTALLED: Once = Once::new();
static HOOKS: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
pub fn install(name: &'static str) -> usize {
    if !INSTALLED.is_completed() { //~
        HOOKS.lock().unwrap().push(name); //~
        INSTALLED.call_once(|| {});
    }
    HOOKS.lock().unwrap().len()
}
