//! The signatures of gtk4 that the fixtures use.
pub struct Button;

pub struct Label;

impl Button {
    pub fn new() -> Self {
        Button
    }
}

impl Label {
    pub fn new(_text: Option<&str>) -> Self {
        Label
    }

    pub fn set_text(&self, _text: &str) {}
}

pub mod prelude {
    pub trait ButtonExt {
        fn connect_clicked<F: Fn(&super::Button) + 'static>(&self, _f: F) {}
    }

    impl ButtonExt for super::Button {}
}

pub fn init() {}

pub mod gdk {
    pub struct Display;

    impl Display {
        pub fn default() -> Option<Display> {
            None
        }
    }
}

pub mod glib {
    pub struct MainLoop;

    impl MainLoop {
        pub fn new() -> Self {
            MainLoop
        }
    }

    pub struct MainContext;

    impl MainContext {
        pub fn default() -> Self {
            MainContext
        }

        pub fn spawn<F: Future + Send + 'static>(&self, _future: F) {}

        pub fn invoke<F: FnOnce() + Send + 'static>(&self, _f: F) {}
    }

    pub fn spawn_future_local<F: Future + 'static>(_future: F) {}

    pub fn spawn_future<F: Future + Send + 'static>(_future: F) {}

    pub fn idle_add_once<F: FnOnce() + Send + 'static>(_f: F) {}

    pub async fn timeout_future(_after: std::time::Duration) {}
}
