//! What is behind pointers deep in what callers have.

use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

#[derive(Clone)]
struct Ends {
    list: Arc<Mutex<Vec<u32>>>,
    closed: Arc<AtomicBool>,
}

#[derive(Clone)]
enum State {
    Open { ends: Ends },
    #[allow(dead_code)]
    Shut,
}

#[derive(Clone)]
struct Half {
    state: State,
}

struct Both {
    half: Half,
    ends: Ends,
}

pub struct Line {
    both: Both,
}

impl Line {
    pub fn new() -> Line {
        let ends = Ends { list: Arc::default(), closed: Arc::new(AtomicBool::new(false)) };
        Line { both: Both { half: Half { state: State::Open { ends: ends.clone() } }, ends } }
    }

    pub fn enter(&self, end: u32) {
        let half = self.both.half.clone();
        if let State::Open { ends } = &half.state {
            if ends.closed.load(SeqCst) { //~
                return;
            }
            ends.list.lock().unwrap().push(end); //~
        }
    }

    pub fn close(&self) {
        self.both.ends.closed.store(true, SeqCst); //~
        self.both.ends.list.lock().unwrap().clear(); //~
    }
}
