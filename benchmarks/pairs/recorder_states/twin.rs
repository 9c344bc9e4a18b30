// A recorder that takes its time to start; who stops it meanwhile must not find it recording.
use parking_lot::Mutex;
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq)]
pub enum State { Stopped, Starting { attempt: u64 }, Recording { device: String } }

struct Inner { state: State, attempts: u64 }

#[derive(Clone)]
pub struct Recorder { inner: Arc<Mutex<Inner>> }

fn open_device() -> Option<String> { std::fs::read_to_string("/dev/null").ok() }

impl Recorder {
    pub fn new() -> Self { Recorder { inner: Arc::new(Mutex::new(Inner { state: State::Stopped, attempts: 0 })) } }
    pub fn start(&self) {
        let attempt = {
            let mut inner = self.inner.lock();
            if inner.state != State::Stopped { return; }
            inner.attempts += 1;
            inner.state = State::Starting { attempt: inner.attempts };
            inner.attempts
        };
        let this = self.clone();
        std::thread::spawn(move || {
            let device = open_device();
            let mut inner = this.inner.lock();
            if inner.state == (State::Starting { attempt }) {
                inner.state = match device { Some(device) => State::Recording { device }, None => State::Stopped };
            }
        });
    }
    pub fn stop(&self) { self.inner.lock().state = State::Stopped; }
    pub fn state(&self) -> State { self.inner.lock().state.clone() }
}
