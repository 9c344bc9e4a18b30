//! The signatures of slint that the fixtures use.
pub mod private_unstable_api {
    pub mod re_exports {
        #[derive(Default)]
        pub struct Callback;

        impl Callback {
            pub fn set_handler(&self, _f: impl Fn(&()) + 'static) {}
        }
    }
}

pub fn invoke_from_event_loop(_f: impl FnOnce() + Send + 'static) {}
