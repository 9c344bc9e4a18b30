//! What several own is dropped by the last of them, when nobody has it any more: who has it still is not dropped in between.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

/// Counts itself out of the house that it is in.
pub struct Guest {
    here: Arc<AtomicU64>,
}

impl Drop for Guest {
    fn drop(&mut self) {
        self.here.fetch_sub(1, Ordering::SeqCst);
    }
}

struct Rooms {
    guests: Mutex<Vec<Guest>>,
    cleaner: Mutex<Option<u64>>,
    here: Arc<AtomicU64>,
}

pub struct House(Arc<Rooms>);

impl House {
    #[allow(clippy::new_without_default)]
    pub fn new() -> House {
        let here = Arc::new(AtomicU64::new(0));
        let rooms = Arc::new(Rooms { guests: Mutex::default(), cleaner: Mutex::default(), here });
        let cleaned = Arc::downgrade(&rooms);
        thread::spawn(move || {
            while clean(&cleaned) {
                thread::sleep(Duration::from_secs(1));
            }
        });
        House(rooms)
    }

    pub fn enter(&self) {
        self.0.here.fetch_add(1, Ordering::SeqCst);
        self.0.guests.lock().unwrap().push(Guest { here: self.0.here.clone() });
    }

    /// Nobody drops the guests in between: the rooms are this one's, too.
    pub fn order(&self, number: u64) {
        let mut cleaner = self.0.cleaner.lock().unwrap();
        if self.0.here.load(Ordering::SeqCst) > 0 && cleaner.is_none() {
            *cleaner = Some(number);
        }
    }
}

/// Whether there is anything to be cleaned.
fn clean(rooms: &Weak<Rooms>) -> bool {
    let Some(rooms) = rooms.upgrade() else { return false };
    let mut cleaner = rooms.cleaner.lock().unwrap();
    if rooms.here.load(Ordering::SeqCst) == 0 {
        cleaner.take();
        return false;
    }
    true
}

/// A guest that leaves is no part of what others have.
#[derive(Default)]
pub struct Inn {
    guests: Mutex<Vec<Guest>>,
    here: Arc<AtomicU64>,
    tables: Mutex<u64>,
}

impl Inn {
    pub fn enter(&self) {
        self.here.fetch_add(1, Ordering::SeqCst);
        self.guests.lock().unwrap().push(Guest { here: self.here.clone() });
    }

    pub fn leave(&self) {
        self.guests.lock().unwrap().clear();
    }

    pub fn lay(&self) {
        let guests = self.here.load(Ordering::SeqCst); //~
        let mut tables = self.tables.lock().unwrap();
        if guests > 0 {
            *tables = guests; //~
        }
    }
}
