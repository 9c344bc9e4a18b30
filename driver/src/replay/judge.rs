//! Whether what was seen is what some order of whole calls shows.

use std::collections::HashMap;
use std::io;

use super::outcome::{Outcome, Pattern};
use super::worker::{Call, End, Run, Scenario, Setting, Strategy, Worker};

/// So many orders of whole calls are compared with at most.
const ORDERS: usize = 400;
/// Noises that each order is run with.
const NOISES: [u64; 2] = [0, 1];
/// Signal of a process that ends itself.
const ABORTED: i32 = 6;

/// Runs scenarios, and remembers what their serial orders show.
pub struct Judge {
    pub worker: Worker,
    known: HashMap<Scenario, Serial>,
}

/// What the orders of whole calls show.
#[derive(Clone, Debug)]
pub enum Serial {
    /// Each of them: how it looks, and one run of it.
    All(Vec<(Pattern, Run)>),
    /// They say nothing about others, and why.
    Undecided(String),
}

/// In which way a run is no serial order's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Results, or the state.
    Outcome,
    /// It never ends, and each order of whole calls does.
    Deadlock,
    /// The process ended itself.
    Abort,
}

/// A run that no order of whole calls explains.
#[derive(Clone, Debug)]
pub struct Violation {
    pub kind: Kind,
    pub scenario: Scenario,
    pub run: Run,
    pub serial: Vec<Run>,
}

/// What became of an attempt.
#[derive(Debug)]
pub enum Attempt {
    /// It took another course.
    Diverged(usize, super::worker::Why),
    /// Nobody can tell the difference.
    Same,
    /// It cannot be told.
    Undecided(String),
    /// It is no serial order's.
    Differs(Box<Violation>),
}

impl Judge {
    pub fn new(worker: Worker) -> Judge {
        Judge { worker, known: HashMap::new() }
    }

    /// What the serial orders of a scenario show, all run by the same machinery: each with several noises, and with work in the
    /// background done as early and as late as can be.
    pub fn serial(&mut self, scenario: &Scenario) -> io::Result<Serial> {
        if let Some(known) = self.known.get(scenario) {
            return Ok(known.clone());
        }
        let serial = self.serial_runs(scenario, &NOISES)?;
        if self.known.len() > 2_000 {
            self.known.clear();
        }
        self.known.insert(scenario.clone(), serial.clone());
        Ok(serial)
    }

    fn serial_runs(&mut self, scenario: &Scenario, noises: &[u64]) -> io::Result<Serial> {
        let lengths: Vec<usize> = scenario.lanes.iter().map(Vec::len).collect();
        let orders = orders(&lengths);
        if orders.len() > ORDERS {
            return Ok(Serial::Undecided(format!("there are more than {ORDERS} orders of whole calls")));
        }
        let mut all: Vec<(Pattern, Run)> = Vec::new();
        for order in orders {
            for background_first in [true, false] {
                let mut runs = Vec::new();
                for &noise in noises {
                    let setting = Setting { noise, background_first, every: false };
                    let run = self.worker.run(scenario, &Strategy::Order(order.clone()), setting)?;
                    if run.end != End::Done {
                        return Ok(Serial::Undecided(undecided(&run.end)));
                    }
                    runs.push(run);
                }
                let pattern = Pattern::common(&runs.iter().map(Outcome::of).collect::<Vec<_>>());
                if !all.iter().any(|(known, _)| *known == pattern) {
                    all.push((pattern, runs.swap_remove(0)));
                }
            }
        }
        Ok(Serial::All(all))
    }

    /// Runs the scenario in that way, and compares.
    pub fn attempt(&mut self, scenario: &Scenario, strategy: &Strategy, every: bool) -> io::Result<Attempt> {
        self.attempt_with(scenario, strategy, every, NOISES)
    }

    fn attempt_with(
        &mut self,
        scenario: &Scenario,
        strategy: &Strategy,
        every: bool,
        noises: [u64; 2],
    ) -> io::Result<Attempt> {
        let setting = Setting { noise: noises[0], every, ..Setting::default() };
        let run = self.worker.run(scenario, strategy, setting)?;
        if let Some((gate, why)) = run.diverged {
            return Ok(Attempt::Diverged(gate, why));
        }
        let kind = match run.end {
            End::Done => Kind::Outcome,
            End::Stuck => Kind::Deadlock,
            End::Died(ABORTED) => Kind::Abort,
            ref other => return Ok(Attempt::Undecided(undecided(other))),
        };
        let serial = match self.serial(scenario)? {
            Serial::All(all) => all,
            Serial::Undecided(why) => return Ok(Attempt::Undecided(why)),
        };
        if kind == Kind::Outcome {
            let alone = Pattern::common(&[Outcome::of(&run)]);
            if serial.iter().any(|(pattern, _)| pattern.fits(&alone)) {
                return Ok(Attempt::Same);
            }
        }
        // Once more, with other times and random numbers: what they change is no difference.
        let again = self.worker.run(scenario, strategy, Setting { noise: noises[1], ..setting })?;
        if let Some((gate, why)) = again.diverged {
            return Ok(Attempt::Diverged(gate, why));
        }
        if again.end != run.end {
            return Ok(Attempt::Undecided("it ends in different ways".to_owned()));
        }
        if kind == Kind::Outcome {
            let pattern = Pattern::common(&[Outcome::of(&run), Outcome::of(&again)]);
            if serial.iter().any(|(known, _)| known.fits(&pattern)) {
                return Ok(Attempt::Same);
            }
        }
        let serial = serial.into_iter().map(|(_, run)| run).collect();
        Ok(Attempt::Differs(Box::new(Violation { kind, scenario: scenario.clone(), run, serial })))
    }

    /// How often of so many times it differs, with other noises each time, and compared with more of them. The first that does not
    /// ends it.
    pub fn repeats(
        &mut self,
        scenario: &Scenario,
        strategy: &Strategy,
        every: bool,
        times: u64,
    ) -> io::Result<u64> {
        let Serial::All(serial) = self.serial_runs(scenario, &[0, 3, 5, 7])? else { return Ok(0) };
        for time in 0..times {
            let Attempt::Differs(violation) =
                self.attempt_with(scenario, strategy, every, [2 * time, 2 * time + 1])?
            else {
                return Ok(time);
            };
            let pattern = Pattern::common(&[Outcome::of(&violation.run)]);
            if violation.kind == Kind::Outcome && serial.iter().any(|(known, _)| known.fits(&pattern)) {
                return Ok(time);
            }
        }
        Ok(times)
    }

    /// The scenario without calls and numbers that the difference does not need.
    pub fn smaller(
        &mut self,
        scenario: Scenario,
        mut differs: impl FnMut(&mut Judge, &Scenario) -> io::Result<bool>,
    ) -> io::Result<Scenario> {
        let mut best = scenario;
        loop {
            let mut found = None;
            for candidate in smaller(&best) {
                if differs(self, &candidate)? {
                    found = Some(candidate);
                    break;
                }
            }
            match found {
                Some(next) => best = next,
                None => return Ok(best),
            }
        }
    }
}

fn undecided(end: &End) -> String {
    match end {
        End::Done => "it ends".to_owned(),
        End::Stuck => "a call waits for ever in some order of whole calls".to_owned(),
        End::Livelock => "a call goes round in circles in some order of whole calls".to_owned(),
        End::Unmade => "the object could not be made: its constructor panics".to_owned(),
        End::Died(14) => "a run did not end in 10 seconds".to_owned(),
        End::Died(signal) => format!("the process ended by signal {signal}"),
        End::Other(what) => format!("it needs more than is driven ({what})"),
    }
}

/// All orders of calls that keep the order of each lane.
pub fn orders(lengths: &[usize]) -> Vec<Vec<usize>> {
    fn go(left: &mut [usize], now: &mut Vec<usize>, out: &mut Vec<Vec<usize>>) {
        if out.len() > ORDERS {
            return;
        }
        if left.iter().all(|&count| count == 0) {
            out.push(now.clone());
            return;
        }
        for lane in 0..left.len() {
            if left[lane] > 0 {
                left[lane] -= 1;
                now.push(lane);
                go(left, now, out);
                now.pop();
                left[lane] += 1;
            }
        }
    }
    let mut out = Vec::new();
    go(&mut lengths.to_vec(), &mut Vec::new(), &mut out);
    out
}

/// Scenarios with a little less.
fn smaller(scenario: &Scenario) -> Vec<Scenario> {
    let mut all = Vec::new();
    for at in 0..scenario.before.len() {
        let mut next = scenario.clone();
        next.before.remove(at);
        all.push(next);
    }
    for at in 0..scenario.after.len() {
        let mut next = scenario.clone();
        next.after.remove(at);
        all.push(next);
    }
    for lane in 0..scenario.lanes.len() {
        for at in 0..scenario.lanes[lane].len() {
            if scenario.lanes[lane].len() > 1 {
                let mut next = scenario.clone();
                next.lanes[lane].remove(at);
                all.push(next);
            }
        }
        if scenario.lanes.len() > 2 {
            let mut next = scenario.clone();
            next.lanes.remove(lane);
            all.push(next);
        }
    }
    let calls = |scenario: &Scenario| {
        scenario.before.len() + scenario.after.len() + scenario.lanes.iter().map(Vec::len).sum::<usize>()
    };
    for at in 0..calls(scenario) {
        let mut next = scenario.clone();
        let call = nth(&mut next, at);
        if call.numbers.iter().any(|&number| number != 0) {
            call.numbers.iter_mut().for_each(|number| *number = 0);
            all.push(next);
        }
    }
    all
}

fn nth(scenario: &mut Scenario, at: usize) -> &mut Call {
    let lanes = scenario.lanes.iter_mut().flatten();
    let mut all: Vec<&mut Call> =
        scenario.before.iter_mut().chain(lanes).chain(scenario.after.iter_mut()).collect();
    all.swap_remove(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_keep_lanes() {
        assert_eq!(orders(&[1, 1]), [vec![0, 1], vec![1, 0]]);
        assert_eq!(orders(&[2, 2]).len(), 6);
        assert!(orders(&[9, 9, 9]).len() > ORDERS);
    }
}
