//! penberg/swarm#70: a click waits until all sessions are there. C4.
use gtk4::prelude::ButtonExt;
use gtk4::{Button, Label, glib};
use tokio::runtime::Runtime;

async fn open_sessions() -> Vec<String> {
    tokio::task::yield_now().await;
    Vec::new()
}

fn show(sessions: &[String]) {
    Label::new(None).set_text(&sessions.join(", "));
}

fn main() {
    let runtime: &'static Runtime = Box::leak(Box::new(Runtime::new().unwrap()));
    let button = Button::new();
    button.connect_clicked(move |_| {
        show(&runtime.block_on(open_sessions())); //~ OFFENCE C4
        let _ = glib::MainLoop::new;
    });
}
