//! Uber, as in Fig. 1 of Safe Stream-Based Programming with Refinement Types: the stream leaves the thread of the window once more. C2.
use std::time::Duration;

use gtk4::prelude::ButtonExt;
use gtk4::{Button, gdk};
use rxrust::prelude::*;

#[path = "../../../../ui.rs"]
mod ui;
use ui::Ui;

fn show_cars() {
    let cars = Shared::from_iter(0..3).observe_on(Ui).delay(Duration::from_millis(100));
    cars.subscribe(|_| {
        let _screen = gdk::Display::default(); //~ OFFENCE C2
    });
}

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let entered = runtime.enter();
    let button = Button::new();
    button.connect_clicked(|_| show_cars());
    drop(entered);
}
