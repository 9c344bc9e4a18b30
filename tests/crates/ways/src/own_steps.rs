//! An enum that a function has for itself says what is to be done, and whether its caller is the one who does it; and so does a result that one
//! function hands on to the next.

use std::sync::Mutex;

enum State {
    Idle,
    Running,
}

pub struct Queue {
    core: Mutex<State>,
}

impl Queue {
    pub fn new() -> Queue {
        Queue { core: Mutex::new(State::Idle) }
    }

    pub fn try_run<R>(&self, job: impl FnOnce() -> R) -> Option<R> {
        enum Step {
            Now,
            Never,
        }
        let step = {
            let mut core = self.core.lock().unwrap();
            match *core {
                State::Running => Step::Never,
                State::Idle => {
                    *core = State::Running;
                    Step::Now
                }
            }
        };
        match step {
            Step::Now => {
                let result = job();
                *self.core.lock().unwrap() = State::Idle;
                Some(result)
            }
            Step::Never => None,
        }
    }

    /// The steps of another function.
    pub fn run(&self, job: impl FnOnce()) -> bool {
        enum Step {
            Now,
            Later,
            Never,
        }
        let step = {
            let mut core = self.core.lock().unwrap();
            match *core {
                State::Running => Step::Later,
                State::Idle => {
                    *core = State::Running;
                    Step::Now
                }
            }
        };
        match step {
            Step::Now => {
                job();
                *self.core.lock().unwrap() = State::Idle;
                true
            }
            Step::Later | Step::Never => false,
        }
    }
}

/// Marks it too late.
pub struct Late {
    core: Mutex<State>,
}

impl Late {
    pub fn new() -> Late {
        Late { core: Mutex::new(State::Idle) }
    }

    pub fn try_run<R>(&self, job: impl FnOnce() -> R) -> Option<R> {
        enum Step {
            Now,
            Never,
        }
        let step = match *self.core.lock().unwrap() { //~
            State::Running => Step::Never,
            State::Idle => Step::Now,
        };
        match step {
            Step::Now => {
                *self.core.lock().unwrap() = State::Running; //~
                let result = job();
                *self.core.lock().unwrap() = State::Idle;
                Some(result)
            }
            Step::Never => None,
        }
    }
}

pub struct Transfer {
    open: Mutex<bool>,
}

impl Transfer {
    pub fn new() -> Transfer {
        Transfer { open: Mutex::new(false) }
    }

    fn open(&self) -> Result<u32, ()> {
        let mut open = self.open.lock().unwrap();
        self.command(&mut open)
    }

    fn command(&self, open: &mut bool) -> Result<u32, ()> {
        if *open {
            return Err(());
        }
        *open = true;
        Ok(7)
    }

    pub fn append(&self) -> Result<u32, ()> {
        let number = self.open()?;
        *self.open.lock().unwrap() = false;
        Ok(number)
    }
}

/// Looks, and marks it behind that.
pub struct Unclaimed {
    open: Mutex<bool>,
}

impl Unclaimed {
    pub fn new() -> Unclaimed {
        Unclaimed { open: Mutex::new(false) }
    }

    fn open(&self) -> Result<u32, ()> {
        self.command(*self.open.lock().unwrap()) //~
    }

    fn command(&self, open: bool) -> Result<u32, ()> {
        if open { Err(()) } else { Ok(7) }
    }

    pub fn append(&self) -> Result<u32, ()> {
        let number = self.open()?;
        *self.open.lock().unwrap() = true; //~
        Ok(number)
    }
}
