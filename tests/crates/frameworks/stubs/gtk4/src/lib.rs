//! The signatures of gtk4 that the fixtures use.
pub struct Button;

pub mod prelude {
    pub trait ButtonExt {
        fn connect_clicked<F: Fn(&super::Button) + 'static>(&self, _f: F) {}
    }

    impl ButtonExt for super::Button {}
}

pub mod glib {
    pub fn spawn_future_local<F: Future + 'static>(_future: F) {}

    pub async fn timeout_future(_after: std::time::Duration) {}
}
