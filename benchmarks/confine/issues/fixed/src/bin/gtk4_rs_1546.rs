//! gtk-rs/gtk4-rs#1546: what needs tokio is awaited where only the loop of the window is. C3.
use std::time::Duration;

use gtk4::prelude::ButtonExt;
use gtk4::{Button, glib};
use tokio::runtime::Runtime;

async fn fetch() -> u32 {
    tokio::time::sleep(Duration::from_millis(20)).await;
    3
}

fn main() {
    let runtime: &'static Runtime = Box::leak(Box::new(Runtime::new().unwrap()));
    let button = Button::new();
    button.connect_clicked(move |_| {
        glib::spawn_future_local(async move {
            let _ = runtime.spawn(fetch()).await;
        });
    });
}
