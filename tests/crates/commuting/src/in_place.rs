//! Indices that were found in an earlier section: what others put in behind all that is there moves nothing.

use std::collections::VecDeque;
use std::sync::Mutex;

#[derive(Clone, Default)]
pub struct Runner {
    pub name: String,
    pub laps: u32,
}

/// Runners only join: each stays where it is.
#[derive(Default)]
pub struct Race {
    runners: Mutex<Vec<Runner>>,
}

impl Race {
    pub fn join(&self, runner: Runner) {
        self.runners.lock().unwrap().push(runner);
    }

    pub fn count_lap(&self, at: usize) {
        self.runners.lock().unwrap()[at].laps += 1;
    }

    pub fn runner(&self, name: &str) -> Option<Runner> {
        let at = self.runners.lock().unwrap().iter().position(|runner| runner.name == name)?;
        Some(self.runners.lock().unwrap()[at].clone())
    }
}

/// Some give up, and those behind them move up.
#[derive(Default)]
pub struct Marathon {
    runners: Mutex<Vec<Runner>>,
}

impl Marathon {
    pub fn join(&self, runner: Runner) {
        self.runners.lock().unwrap().push(runner);
    }

    pub fn give_up(&self, name: &str) {
        self.runners.lock().unwrap().retain(|runner| runner.name != name); //~
    }

    pub fn count_lap(&self, name: &str) {
        let found = self.runners.lock().unwrap().iter().position(|runner| runner.name == name); //~
        if let Some(at) = found {
            self.runners.lock().unwrap()[at].laps += 1; //~
        }
    }
}

/// Who comes is put in front of all others.
#[derive(Default)]
pub struct Pursuit {
    runners: Mutex<VecDeque<Runner>>,
}

impl Pursuit {
    pub fn join(&self, runner: Runner) {
        self.runners.lock().unwrap().push_back(runner);
    }

    pub fn take_the_lead(&self, runner: Runner) {
        self.runners.lock().unwrap().push_front(runner); //~
    }

    pub fn count_lap(&self, name: &str) {
        let found = self.runners.lock().unwrap().iter().position(|runner| runner.name == name); //~
        if let Some(at) = found {
            self.runners.lock().unwrap()[at].laps += 1; //~
        }
    }
}

/// The number of a runner is how many came before: two get one number, whoever only joins.
#[derive(Default)]
pub struct Bibs {
    bibs: Mutex<Vec<(usize, String)>>,
}

impl Bibs {
    pub fn hand_out(&self, name: String) {
        let number = self.bibs.lock().unwrap().len(); //~
        self.bibs.lock().unwrap().push((number, name)); //~
    }
}

/// The last one is another one as soon as somebody comes.
#[derive(Default)]
pub struct Rear {
    runners: Mutex<Vec<Runner>>,
}

impl Rear {
    pub fn join(&self, runner: Runner) {
        self.runners.lock().unwrap().push(runner); //~
    }

    pub fn count_last(&self) {
        let all = self.runners.lock().unwrap().len(); //~
        if all > 0 {
            self.runners.lock().unwrap()[all - 1].laps += 1; //~
        }
    }
}

/// What was seen of one runner goes into what is stored there: a second one does so, too, whoever else joins.
#[derive(Default)]
pub struct Doubled {
    runners: Mutex<Vec<Runner>>,
}

impl Doubled {
    pub fn join(&self, runner: Runner) {
        self.runners.lock().unwrap().push(runner);
    }

    pub fn double(&self, at: usize) {
        let laps = self.runners.lock().unwrap()[at].laps; //~
        self.runners.lock().unwrap()[at].laps = laps * 2; //~
    }
}

/// Each is looked at under a lock of its own, and taken out; a second one has taken out some meanwhile.
#[derive(Default)]
pub struct Finish {
    runners: Mutex<Vec<u32>>,
}

impl Finish {
    pub fn join(&self, laps: u32) {
        self.runners.lock().unwrap().push(laps);
    }

    pub fn first_home(&self) -> Option<u32> {
        let all = self.runners.lock().unwrap().len(); //~
        for at in 0..all {
            let mut runners = self.runners.lock().unwrap();
            if runners[at] > 42 { //~
                return Some(runners.swap_remove(at)); //~
            }
        }
        None
    }
}
