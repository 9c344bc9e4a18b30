//! Looks and moves under one.
use std::sync::Mutex;
use std::time::{Duration, Instant};
#[derive(Clone, Copy)]
enum State { Closed { failures: u32 }, Open { until: Instant }, HalfOpen }
pub struct Breaker { state: Mutex<State>, most: u32 }
impl Breaker {
    pub fn new(most: u32) -> Self { Breaker { state: Mutex::new(State::Closed { failures: 0 }), most } }
    pub fn allow(&self, now: Instant) -> bool {
        let mut state = self.state.lock().unwrap();
        match *state {
            State::Closed { .. } => true,
            State::Open { until } if now >= until => { *state = State::HalfOpen; true }
            State::Open { .. } | State::HalfOpen => false,
        }
    }
    pub fn failed(&self, now: Instant) {
        let mut state = self.state.lock().unwrap();
        let next = match *state {
            State::Closed { failures } if failures + 1 < self.most => State::Closed { failures: failures + 1 },
            State::Closed { .. } | State::HalfOpen => State::Open { until: now + Duration::from_secs(5) },
            open @ State::Open { .. } => open,
        };
        *state = next;
    }
    pub fn worked(&self) { *self.state.lock().unwrap() = State::Closed { failures: 0 }; }
}
