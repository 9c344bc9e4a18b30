//! A window that another thread creates.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread;

type Windows = Arc<Mutex<HashMap<&'static str, u64>>>;

fn main() {
    let windows = Windows::default();
    create_window(&windows, "main");
    let handle = windows.lock().unwrap().get("main").copied(); //~ RACE
    println!("{handle:?}");
}

/// Has the window created where windows have to be created.
fn create_window(windows: &Windows, label: &'static str) {
    let windows = windows.clone();
    thread::spawn(move || {
        let handle = native_create(label);
        windows.lock().unwrap().insert(label, handle); //~ RACE
    });
}

fn native_create(label: &str) -> u64 {
    label.len() as u64
}
