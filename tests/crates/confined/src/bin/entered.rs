//! A runtime that `main` has entered where it runs its windows.
use gtk4::prelude::ButtonExt;
use gtk4::{Button, glib};
use tokio::runtime::Runtime;
use winit::application::ApplicationHandler;

async fn sessions() -> Vec<String> {
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    vec!["first".into()]
}

struct View;

impl ApplicationHandler for View {
    fn resumed(&mut self) {
        tokio::spawn(sessions());
    }

    fn window_event(&mut self, _event: u32) {}
}

fn main() {
    let runtime = Runtime::new().unwrap();
    let _entered = runtime.enter();
    let _view = View;
    let button = Button::new();
    button.connect_clicked(|_| {
        tokio::spawn(sessions());
    });
    glib::MainLoop::new();
}
