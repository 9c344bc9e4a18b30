//! Ways on which a thread unwinds are not followed: what a guard does only then says nothing.

use std::sync::Mutex;

#[derive(PartialEq, Clone, Copy)]
enum State {
    Idle,
    Running,
    Broken,
}

pub struct Queue {
    state: Mutex<State>,
}

struct Active<'a>(&'a Queue);

impl Drop for Active<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            *self.0.state.lock().unwrap() = State::Broken;
        }
    }
}

impl Default for Queue {
    fn default() -> Self {
        Queue { state: Mutex::new(State::Idle) }
    }
}

impl Queue {
    pub fn run(&self, job: impl FnOnce()) -> bool {
        {
            let mut state = self.state.lock().unwrap();
            if *state != State::Idle {
                return false;
            }
            *state = State::Running;
        }
        let _active = Active(self);
        job();
        *self.state.lock().unwrap() = State::Idle;
        true
    }
}

/// Whoever finds it idle runs, and says so only then.
pub struct Late {
    state: Mutex<State>,
}

impl Default for Late {
    fn default() -> Self {
        Late { state: Mutex::new(State::Idle) }
    }
}

impl Late {
    pub fn run(&self, job: impl FnOnce()) -> bool {
        if *self.state.lock().unwrap() != State::Idle { //~
            return false;
        }
        *self.state.lock().unwrap() = State::Running; //~
        job();
        *self.state.lock().unwrap() = State::Idle;
        true
    }
}
