//! Who leaves looks whether it was the last: that several then wake those who wait does no harm.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex, mpsc};

#[derive(Default)]
struct Work {
    under_way: AtomicUsize,
    lock: Mutex<()>,
    idle: Condvar,
}

pub struct Crew {
    work: Arc<Work>,
}

impl Crew {
    pub fn new(workers: usize) -> Crew {
        let work = Arc::new(Work::default());
        for _ in 0..workers {
            let work = work.clone();
            let (sender, jobs) = mpsc::channel::<u32>();
            sender.send(1).ok();
            std::thread::spawn(move || {
                while jobs.recv().is_ok() {
                    work.under_way.fetch_add(1, SeqCst);
                    std::thread::yield_now();
                    work.under_way.fetch_sub(1, SeqCst);
                    if work.under_way.load(SeqCst) == 0 {
                        let _lock = work.lock.lock().unwrap();
                        work.idle.notify_all();
                    }
                }
            });
        }
        Crew { work }
    }

    pub fn wait(&self) {
        let mut lock = self.work.lock.lock().unwrap();
        while self.work.under_way.load(SeqCst) > 0 {
            lock = self.work.idle.wait(lock).unwrap();
        }
    }
}

/// Two find themselves to be the last, and close twice.
pub struct Room {
    inside: AtomicUsize,
    closed: AtomicUsize,
}

impl Room {
    pub fn enter(&self) {
        self.inside.fetch_add(1, SeqCst);
    }

    pub fn leave(&self) {
        self.inside.fetch_sub(1, SeqCst); //~
        if self.inside.load(SeqCst) == 0 { //~
            self.closed.fetch_add(1, SeqCst);
        }
    }

    pub fn closings(&self) -> usize {
        self.closed.load(SeqCst)
    }
}

/// The same, where only the outside is told.
pub struct Hall {
    inside: AtomicUsize,
    closed: mpsc::Sender<()>,
}

impl Hall {
    pub fn enter(&self) {
        self.inside.fetch_add(1, SeqCst);
    }

    pub fn leave(&self) {
        self.inside.fetch_sub(1, SeqCst); //~
        if self.inside.load(SeqCst) == 0 { //~
            let _ = self.closed.send(());
        }
    }
}

/// Who has seen what is left as it left knows whether it was the last.
pub struct Foyer {
    inside: AtomicUsize,
}

impl Foyer {
    pub fn enter(&self) {
        self.inside.fetch_add(1, SeqCst);
    }

    pub fn leave(&self) {
        if self.inside.fetch_sub(1, SeqCst) == 1 {
            println!("the last has left");
        }
    }
}
