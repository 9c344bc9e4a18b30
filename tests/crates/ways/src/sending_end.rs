//! Who drops a sending end drops nothing of what was sent, whatever that does when it is dropped.

use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

/// Clears the table where it ends.
pub struct Guest {
    table: Arc<Mutex<u64>>,
}

impl Drop for Guest {
    fn drop(&mut self) {
        *self.table.lock().unwrap() = 0; //~
    }
}

pub struct Waiter {
    table: Arc<Mutex<u64>>,
    guests: Arc<Mutex<Sender<Guest>>>,
}

impl Waiter {
    pub fn lay(&self) {
        *self.table.lock().unwrap() += 1;
    }

    /// The sender is another one's, too, and what was sent is whoever's receives it.
    pub fn look(&self) -> bool {
        let laid = *self.table.lock().unwrap() == 1;
        if laid {
            let guests = self.guests.lock().unwrap().clone();
            drop(guests);
        }
        laid
    }

    /// Somebody may lay the table in between.
    pub fn clear(&self) {
        let laid = *self.table.lock().unwrap() == 1; //~
        if laid {
            drop(Guest { table: self.table.clone() });
        }
    }

    pub fn seat(&self) -> bool {
        self.guests.lock().unwrap().send(Guest { table: self.table.clone() }).is_ok()
    }
}
