//! slint-ui/slint#10667: a weak window is upgraded on another thread, and there is none. C1.
use std::thread;
use std::time::Duration;

use slint::Weak;

fn call_again(app: Weak<String>) {
    thread::spawn(move || {
        loop {
            app.upgrade_in_event_loop(|window| println!("{window}"));
            thread::sleep(Duration::from_millis(100));
        }
    });
}

fn main() {
    call_again(Weak::of("window".to_owned()));
}
