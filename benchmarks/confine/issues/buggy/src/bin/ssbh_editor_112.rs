//! ScanMountGoat/ssbh_editor#112: what takes long is done while the window is drawn. C8.
use winit::application::ApplicationHandler;

struct View {
    frames: Vec<String>,
}

impl ApplicationHandler for View {
    fn resumed(&mut self) {}

    fn window_event(&mut self, event: u32) {
        if event == 1 {
            self.frames.push(bcrypt::hash("frame", 12)); //~ OFFENCE C8
        }
    }
}

fn main() {
    View { frames: Vec::new() }.resumed();
}
