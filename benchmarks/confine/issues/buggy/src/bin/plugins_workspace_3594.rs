//! tauri-apps/plugins-workspace#3594: a lock is held where the thread of the window is waited for, which wants it, too. C7.
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use gtk4::glib;
use gtk4::prelude::ButtonExt;
use gtk4::Button;

/// What only the thread of the window knows.
fn is_maximized() -> bool {
    let (sender, receiver) = channel();
    glib::idle_add_once(move || drop(sender.send(true)));
    receiver.recv().unwrap_or_default() //~ OFFENCE C7 missed
}

fn save(cache: &Mutex<bool>) {
    let mut known = cache.lock().unwrap();
    *known = is_maximized();
}

fn main() {
    let cache = Arc::new(Mutex::new(false));
    let window = Button::new();
    let resized = cache.clone();
    window.connect_clicked(move |_| *resized.lock().unwrap() = false);
    std::thread::spawn(move || save(&cache));
}
