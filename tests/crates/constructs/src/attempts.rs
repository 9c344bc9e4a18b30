//! An attempt that fails changes nothing, and who only tries again has seen nothing that matters. Who goes on to change the same
//! goes by what was there when it failed.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering::SeqCst};

const IDLE: u8 = 0;
const BUSY: u8 = 1;
const AGAIN: u8 = 2;

/// The one who is busy may be done before it is asked to do it again.
#[derive(Default)]
pub struct Bell(AtomicU8);

impl Bell {
    pub fn ring(&self) -> bool {
        if self.0.compare_exchange(IDLE, BUSY, SeqCst, SeqCst).is_err() { //~
            self.0.store(AGAIN, SeqCst); //~
            return false;
        }
        true
    }

    pub fn done(&self) -> bool {
        self.0.swap(IDLE, SeqCst) == AGAIN
    }
}

/// Asked to do it again only while busy.
#[derive(Default)]
pub struct Chime(AtomicU8);

impl Chime {
    pub fn ring(&self) -> bool {
        loop {
            if self.0.compare_exchange(IDLE, BUSY, SeqCst, SeqCst).is_ok() {
                return true;
            }
            if self.0.compare_exchange(BUSY, AGAIN, SeqCst, SeqCst).is_ok() {
                return false;
            }
        }
    }

    pub fn done(&self) -> bool {
        self.0.swap(IDLE, SeqCst) == AGAIN
    }
}

/// Two who turn it at once both find it on, and turn it off once.
#[derive(Default)]
pub struct Lamp(AtomicBool);

impl Lamp {
    pub fn turn(&self) -> bool {
        let was_on = self.0.swap(true, SeqCst); //~
        if was_on {
            self.0.store(false, SeqCst); //~
        }
        !was_on
    }
}

/// Turned in one step.
#[derive(Default)]
pub struct Lantern(AtomicBool);

impl Lantern {
    pub fn turn(&self) -> bool {
        !self.0.fetch_xor(true, SeqCst)
    }
}
