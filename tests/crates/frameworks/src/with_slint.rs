//! Callbacks run on one thread, threads hand work to it.
use std::sync::{Arc, Mutex};

use slint::private_unstable_api::re_exports::Callback;

/// As it is generated from a description of the window.
#[derive(Default)]
pub struct Window {
    clicked: Callback,
    typed: Callback,
}

impl Window {
    fn on_clicked(&self, f: impl Fn() + 'static) {
        self.clicked.set_handler(move |()| f());
    }

    fn on_typed(&self, f: impl Fn() + 'static) {
        self.typed.set_handler(move |()| f());
    }
}

pub fn run() {
    let window = Window::default();
    let text = Arc::new(Mutex::new(String::new()));
    let shown = text.clone();
    window.on_clicked(move || {
        let noted = shown.lock().unwrap().clone(); //~
        let text = shown.clone();
        std::thread::spawn(move || {
            slint::invoke_from_event_loop(move || *text.lock().unwrap() = noted + "!"); //~
        });
    });
    window.on_typed(move || {
        let seen = text.lock().unwrap().len();
        text.lock().unwrap().truncate(seen / 2);
    });
}
