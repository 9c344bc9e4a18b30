//! Signal handlers run on one thread; tasks that they start run on it later.
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use gtk4::prelude::ButtonExt;
use gtk4::{Button, glib};

pub fn build() {
    let button = Button;
    let text = Rc::new(RefCell::new(String::new()));
    let shown = text.clone();
    button.connect_clicked(move |_| {
        let text = shown.clone();
        glib::spawn_future_local(async move {
            let old = text.borrow().clone(); //~
            glib::timeout_future(Duration::from_millis(5)).await;
            *text.borrow_mut() = old + "!"; //~
        });
    });

    let count = Rc::new(Cell::new(0));
    button.connect_clicked(move |_| {
        let seen = count.get();
        count.set(seen * 2);
    });
}
