//! The thread of a window: what belongs there, and what must not keep it.
use std::thread;
use std::time::Duration;

use gtk4::prelude::ButtonExt;
use gtk4::{Button, Label, gdk, glib};
use slint::Weak;
use tauri::ipc::CommandItem;
use tokio::runtime::Runtime;
use winit::application::ApplicationHandler;
use winit::event_loop::EventLoop;

async fn sessions() -> Vec<String> {
    tokio::time::sleep(Duration::from_millis(20)).await;
    vec!["first".into()]
}

fn open(runtime: &'static Runtime) {
    let button = Button::new();
    button.connect_clicked(move |_| {
        let all = runtime.block_on(sessions()); //~ blocking-on-ui
        Label::new(None).set_text(&all.join(", "));
    });

    let later = Button::new();
    later.connect_clicked(move |_| {
        glib::spawn_future_local(async move {
            let all = runtime.spawn(sessions()).await.unwrap_or_default();
            Label::new(None).set_text(&all.join(", "));
        });
    });

    let forgetful = Button::new();
    forgetful.connect_clicked(|_| {
        tokio::spawn(sessions()); //~ no-runtime-here
        let _ = std::fs::read("sessions"); //~ blocking-on-ui warn
    });

    // On a thread of its own it may wait, but not draw.
    thread::spawn(|| {
        thread::sleep(Duration::from_millis(5));
        depth();
        glib::idle_add_once(|| depth_there());
    });
}

fn depth() -> usize {
    let screen = gdk::Display::default(); //~ confined-call-off-thread
    screen.map_or(0, |_| 24)
}

fn depth_there() {
    let _ = gdk::Display::default();
}

/// A thread may have windows of its own.
fn tray() {
    thread::spawn(|| {
        gtk4::init();
        let _icon = Button::new();
        let _loop = glib::MainLoop::new();
    });
}

fn notify(window: Weak<u32>) {
    let moved = Weak::of(window.unwrap());
    thread::spawn(move || {
        let shown = moved.upgrade(); //~ confined-call-off-thread warn
        window.upgrade_in_event_loop(|window| println!("{window}"));
        shown.is_some()
    });
}

fn open_elsewhere() {
    thread::spawn(|| EventLoop::new().is_ok()); //~ confined-call-off-thread
    let _ = EventLoop::new();
}

struct View {
    password: String,
}

impl ApplicationHandler for View {
    fn resumed(&mut self) {
        thread::sleep(Duration::from_millis(5)); //~ blocking-on-ui
    }

    fn window_event(&mut self, event: u32) {
        if event == 0 {
            self.password = bcrypt::hash(&self.password, 12); //~ heavy-on-ui warn
        }
        let password = self.password.clone();
        thread::spawn(move || bcrypt::hash(&password, 12));
    }
}

fn commands() {
    // As `generate_handler!` makes it.
    let handler = |item: CommandItem| match item.0.as_str() {
        "wait" => thread::sleep(Duration::from_millis(5)), //~ blocking-on-ui
        _ => tauri::async_runtime::spawn(async { drop(sessions().await) }),
    };
    let setup = |_: &mut tauri::App| {
        let _ = std::fs::read("settings");
        tokio::spawn(sessions()); //~ no-runtime-here
    };
    let _ = tauri::Builder::default().setup(setup).invoke_handler(handler);
}

fn main() {
    let runtime: &'static Runtime = Box::leak(Box::new(Runtime::new().unwrap()));
    // Before the window is shown, nobody waits for it.
    let known = runtime.block_on(sessions());
    open(runtime);
    tray();
    notify(Weak::of(known.len() as u32));
    open_elsewhere();
    commands();
    View { password: String::new() }.resumed();
}
