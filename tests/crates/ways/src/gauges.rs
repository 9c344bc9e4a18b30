//! Two gauges that one thread sets and another one shows: that it is one thread which sets them does not say that they belong together.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

#[derive(Default)]
pub struct Gauges {
    rooms: AtomicUsize,
    guests: AtomicUsize,
}

static GAUGES: Gauges = Gauges { rooms: AtomicUsize::new(0), guests: AtomicUsize::new(0) };

fn count(file: &str) -> usize {
    std::fs::read_to_string(file).map_or(0, |text| text.lines().count())
}

/// Which of the two is shown a moment before the other one nobody minds.
pub fn watch() {
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_secs(1));
            GAUGES.rooms.store(count("rooms"), Ordering::Relaxed);
            GAUGES.guests.store(count("guests"), Ordering::Relaxed);
        }
    });
    thread::spawn(|| {
        loop {
            thread::sleep(Duration::from_secs(5));
            let rooms = GAUGES.rooms.load(Ordering::Relaxed);
            let guests = GAUGES.guests.load(Ordering::Relaxed);
            println!("{guests} guests in {rooms} rooms");
        }
    });
}
