//! State and count are looked at and changed under one lock.
use std::sync::Mutex;

#[derive(Clone, Copy, Default, PartialEq)]
enum State {
    #[default]
    Closed,
    Open,
    HalfOpen,
}

#[derive(Default)]
struct Inner {
    state: State,
    successes: u64,
}

#[derive(Default)]
pub struct Breaker {
    inner: Mutex<Inner>,
}

impl Breaker {
    pub fn success(&self) {
        let mut inner = self.inner.lock().unwrap();
        inner.successes += 1;
        if inner.state == State::HalfOpen && inner.successes >= 3 {
            inner.state = State::Closed;
        }
    }
    pub fn failure(&self) {
        let mut inner = self.inner.lock().unwrap();
        inner.successes = 0;
        inner.state = State::Open;
    }
    pub fn try_again(&self) -> bool {
        let mut inner = self.inner.lock().unwrap();
        let open = inner.state == State::Open;
        if open {
            inner.state = State::HalfOpen;
        }
        open
    }
    pub fn is_open(&self) -> bool {
        self.inner.lock().unwrap().state == State::Open
    }
}
