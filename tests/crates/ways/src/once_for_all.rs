//! What a static's cell starts is there once: its rounds follow one another. Whatever each call starts runs beside what others have started.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, Once, OnceLock};
use std::thread;
use std::time::Duration;

struct System {
    looked: u64,
}

impl System {
    fn refresh(&mut self) -> u64 {
        self.looked += 1; //~
        self.looked //~
    }
}

static SYSTEM: Mutex<System> = Mutex::new(System { looked: 0 });
static CURRENT: AtomicU64 = AtomicU64::new(0);
static BEGIN: Once = Once::new();
static COLLECTOR: OnceLock<thread::Thread> = OnceLock::new();

pub fn collect(every: Duration) {
    BEGIN.call_once(move || {
        thread::spawn(move || {
            loop {
                let looked = SYSTEM.lock().unwrap().refresh();
                CURRENT.store(looked, Ordering::SeqCst);
                thread::sleep(every);
            }
        });
    });
}

static OTHER: Mutex<System> = Mutex::new(System { looked: 0 });
static SEEN: AtomicU64 = AtomicU64::new(0);

pub fn collector() -> &'static thread::Thread {
    COLLECTOR.get_or_init(|| {
        let handle = thread::spawn(|| {
            loop {
                let looked = OTHER.lock().unwrap().refresh();
                SEEN.store(looked, Ordering::SeqCst);
                thread::sleep(Duration::from_secs(1));
            }
        });
        handle.thread().clone()
    })
}

static THIRD: Mutex<System> = Mutex::new(System { looked: 0 });
static LATEST: AtomicU64 = AtomicU64::new(0);

pub fn collect_again(every: Duration) {
    thread::spawn(move || {
        loop {
            let looked = THIRD.lock().unwrap().refresh();
            LATEST.store(looked, Ordering::SeqCst); //~
            thread::sleep(every);
        }
    });
}

pub fn current() -> [u64; 3] {
    [&CURRENT, &SEEN, &LATEST].map(|number| number.load(Ordering::SeqCst))
}
