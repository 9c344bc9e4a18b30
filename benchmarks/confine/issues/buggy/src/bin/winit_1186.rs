//! rust-windowing/winit#1186: a loop of events that is not made on the main thread. C1.
use std::thread;

use winit::event_loop::EventLoop;

fn main() {
    let run = thread::spawn(|| drop(EventLoop::new().unwrap())); //~ OFFENCE C1
    let _ = run.join();
}
