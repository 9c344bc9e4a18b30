//! What was decided once is decided, however often it is asked: who took nothing gives nothing back.

use std::sync::Mutex;

fn send(bytes: u64) -> Result<(), u64> {
    if bytes.is_multiple_of(3) { Err(bytes) } else { Ok(()) }
}

#[derive(Default)]
pub struct Quota {
    left: Mutex<u64>,
}

impl Quota {
    pub fn spend(&self, bytes: u64) -> bool {
        let enough = {
            let mut left = self.left.lock().unwrap();
            let enough = *left >= bytes;
            if enough {
                *left -= bytes;
            }
            enough
        };
        if !enough {
            return false;
        }
        let sent = send(bytes);
        if sent.is_err() {
            *self.left.lock().unwrap() += bytes;
        }
        sent.is_ok()
    }
}

/// Who decides tells what was decided.
#[derive(Default)]
pub struct Ration {
    left: Mutex<u64>,
}

impl Ration {
    fn take(&self, bytes: u64) -> bool {
        let mut left = self.left.lock().unwrap();
        let enough = *left >= bytes;
        if enough {
            *left -= bytes;
        }
        enough
    }

    pub fn spend(&self, bytes: u64) -> bool {
        if !self.take(bytes) {
            return false;
        }
        let sent = send(bytes);
        if sent.is_err() {
            *self.left.lock().unwrap() += bytes;
        }
        sent.is_ok()
    }
}

/// Taken only when it is used.
#[derive(Default)]
pub struct Pension {
    left: Mutex<u64>,
}

impl Pension {
    pub fn spend(&self, bytes: u64) -> bool {
        let enough = {
            let left = self.left.lock().unwrap();
            *left >= bytes //~
        };
        if !enough {
            return false;
        }
        let sent = send(bytes);
        if sent.is_ok() {
            *self.left.lock().unwrap() -= bytes; //~
        }
        sent.is_ok()
    }
}

/// Taken at once, and given back by whoever took nothing, too.
#[derive(Default)]
pub struct Purse {
    left: Mutex<u64>,
}

impl Purse {
    pub fn spend(&self, coins: u64) -> bool {
        let (enough, low) = {
            let mut left = self.left.lock().unwrap();
            let enough = *left >= coins;
            let low = *left < 10; //~
            if enough {
                *left -= coins;
            }
            (enough, low)
        };
        if low {
            *self.left.lock().unwrap() += 10; //~
        }
        enough
    }
}
