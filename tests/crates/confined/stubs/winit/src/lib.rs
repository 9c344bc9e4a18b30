//! The signatures of winit that the fixtures use.
pub mod event_loop {
    pub struct EventLoop;

    impl EventLoop {
        pub fn new() -> Result<EventLoop, ()> {
            Err(())
        }
    }
}

pub mod application {
    pub trait ApplicationHandler {
        fn resumed(&mut self);
        fn window_event(&mut self, event: u32);
    }
}
