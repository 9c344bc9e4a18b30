//! The state is looked at (half open), and then `close` looks at it again and closes from whatever it is by then: a failure in between has opened the breaker, and it is closed at once. The second look asks for less than the first.
use std::sync::atomic::{AtomicU64, AtomicU8, Ordering::SeqCst};

const CLOSED: u8 = 0;
const OPEN: u8 = 1;
const HALF_OPEN: u8 = 2;

#[derive(Default)]
pub struct Breaker {
    state: AtomicU8,
    successes: AtomicU64,
}

impl Breaker {
    pub fn success(&self) {
        let successes = self.successes.fetch_add(1, SeqCst) + 1;
        if self.state.load(SeqCst) == HALF_OPEN && successes >= 3 { //~
            self.close();
        }
    }
    pub fn failure(&self) {
        self.successes.store(0, SeqCst);
        self.state.store(OPEN, SeqCst); //~
    }
    pub fn try_again(&self) -> bool {
        self.state.compare_exchange(OPEN, HALF_OPEN, SeqCst, SeqCst).is_ok()
    }
    fn close(&self) {
        let current = self.state.load(SeqCst);
        if current == CLOSED {
            return;
        }
        let _ = self.state.compare_exchange(current, CLOSED, SeqCst, SeqCst); //~
    }
    pub fn is_open(&self) -> bool {
        self.state.load(SeqCst) == OPEN
    }
}
