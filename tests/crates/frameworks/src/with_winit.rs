//! Methods of the handler run on one thread.
use std::cell::Cell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use winit::application::ApplicationHandler;

#[derive(Default)]
pub struct Viewer {
    zoom: Rc<Cell<u64>>,
    image: Arc<Mutex<u64>>,
}

impl ApplicationHandler for Viewer {
    fn resumed(&mut self) {
        let image = self.image.clone();
        std::thread::spawn(move || {
            let seen = *image.lock().unwrap(); //~
            *image.lock().unwrap() = seen + 1; //~
        });
    }

    fn window_event(&mut self, event: u32) {
        let seen = self.zoom.get();
        self.zoom.set(seen * u64::from(event));
    }
}

pub fn run() {
    let _viewer = Viewer::default();
}
