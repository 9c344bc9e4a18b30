//! Whether what was seen is what some order of whole calls shows.

use std::collections::HashMap;
use std::io;

use crate::outcome::{Outcome, Pattern};
use crate::worker::{Call, End, Run, Scenario, Setting, Strategy, Why, Worker};

/// So many orders of whole calls are compared with at most.
const ORDERS: usize = 400;
/// Orders of a program's threads that its runs are compared with, beside that in which they are started.
const SHUFFLES: u64 = 12;
/// Noises that each order is run with.
const NOISES: [u64; 2] = [0, 1];
/// Signal of a process that ends itself.
const ABORTED: i32 = 6;

/// Runs scenarios, and remembers what their serial orders show.
pub struct Judge {
    /// Who runs them.
    pub worker: Worker,
    /// Whether an order has to keep who ended before whom began.
    pub real_time: bool,
    known: HashMap<Scenario, Vec<Known>>,
}

/// What an order of whole calls shows.
struct Known {
    order: Vec<usize>,
    run: Run,
    outcome: Outcome,
    /// What several runs of it have in common: with work in the background done early, and done late.
    patterns: Option<Vec<Pattern>>,
}

/// In which way a run is no serial order's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Results, or the state.
    Outcome,
    /// It never ends, and each order of whole calls does.
    Deadlock,
    /// It goes round in circles, and no order of whole calls does.
    Livelock,
    /// The process ended itself.
    Abort,
    /// Results, or the state, are others than in the order that the program's text suggests.
    Order,
    /// What a program prints, and how it ends.
    Printed,
}

impl Kind {
    /// In words.
    pub fn text(self) -> &'static str {
        match self {
            Kind::Outcome => "results and state are those of no order of whole calls",
            Kind::Deadlock => "the calls never end, as they do in each order of whole calls",
            Kind::Livelock => "the calls go round in circles, and in no order of whole calls",
            Kind::Abort => "the process ends itself, and in no order of whole calls",
            Kind::Order => "results and state are others than in the order that the text suggests",
            Kind::Printed => {
                "it prints, or ends with, what it does in none of the runs in which each thread goes on until it waits"
            }
        }
    }
}

/// A run that no order of whole calls explains.
#[derive(Clone, Debug)]
pub struct Violation {
    /// In which way it is none.
    pub kind: Kind,
    /// The calls.
    pub scenario: Scenario,
    /// What was seen.
    pub run: Run,
    /// What the orders of whole calls show.
    pub serial: Vec<Run>,
}

/// What became of an attempt.
#[derive(Debug)]
pub enum Attempt {
    /// It took another course.
    Diverged(usize, Why),
    /// Nobody can tell the difference.
    Same,
    /// It cannot be told.
    Undecided(String),
    /// It is no serial order's.
    Differs(Box<Violation>),
}

impl Judge {
    /// A judge of what that one runs.
    pub fn new(worker: Worker) -> Judge {
        Judge { worker, real_time: false, known: HashMap::new() }
    }

    /// Whether a call of that operation ends, or waits for others, when nobody else does anything: one that works for ever has to
    /// be ended by the clock each time.
    pub fn comes_to_rest(&mut self, call: &Call) -> io::Result<bool> {
        let scenario = Scenario { lanes: vec![vec![call.clone()]], ..Scenario::default() };
        let run = self.worker.run(&scenario, &Strategy::Order(vec![0]), Setting::default())?;
        Ok(matches!(run.end, End::Done | End::Stuck))
    }

    /// What the orders of whole calls show: of each, one run. Or why they say nothing.
    fn serial(&mut self, scenario: &Scenario) -> io::Result<Result<(), String>> {
        if self.known.contains_key(scenario) {
            return Ok(Ok(()));
        }
        let lengths: Vec<usize> = scenario.lanes.iter().map(Vec::len).collect();
        let orders = orders(&lengths);
        if orders.len() > ORDERS {
            return Ok(Err(format!("there are more than {ORDERS} orders of whole calls")));
        }
        let mut all: Vec<Known> = Vec::new();
        for order in orders {
            let run = self.worker.run(scenario, &Strategy::Order(order.clone()), Setting::default())?;
            if !matches!(run.end, End::Done | End::Stuck) {
                return Ok(Err(undecided(&run.end)));
            }
            let outcome = Outcome::of(&run);
            all.push(Known { order, run, outcome, patterns: None });
        }
        if all.iter().all(|known| known.run.end == End::Stuck) {
            return Ok(Err("in each order of whole calls some call waits for ever".to_owned()));
        }
        if self.known.len() > 500 {
            self.known.clear();
        }
        self.known.insert(scenario.clone(), all);
        Ok(Ok(()))
    }

    /// What each order has in common over these noises, run with work in the background done as early and as late as can be.
    fn patterns(&mut self, scenario: &Scenario, order: &[usize], noises: &[u64]) -> io::Result<Vec<Pattern>> {
        let mut all = Vec::new();
        // A library's calls are the lanes; a program's threads are not, and each goes on until it waits.
        let shuffles = if self.worker.program { SHUFFLES } else { 0 };
        for (background_first, shuffle) in
            [true, false].into_iter().flat_map(|first| (0..=shuffles).map(move |shuffle| (first, shuffle)))
        {
            let mut outcomes = Vec::new();
            for &noise in noises {
                let setting = Setting { noise, background_first, every: false, shuffle };
                let run = self.worker.run(scenario, &Strategy::Order(order.to_vec()), setting)?;
                outcomes.push(Outcome::of(&run));
            }
            all.push(Pattern::common(&outcomes));
        }
        Ok(all)
    }

    /// The orders that may explain a run, by index.
    fn candidates(&self, scenario: &Scenario, run: &Run) -> Vec<usize> {
        let Some(all) = self.known.get(scenario) else { return Vec::new() };
        let fits =
            |known: &Known| known.run.end == End::Done && (!self.real_time || keeps_time(&known.order, run));
        (0..all.len()).filter(|&at| fits(&all[at])).collect()
    }

    /// Whether some order of whole calls shows what these runs, which only differ in noise, have in common.
    fn explained(&mut self, scenario: &Scenario, runs: &[&Run]) -> io::Result<bool> {
        let pattern = Pattern::common(&runs.iter().map(|run| Outcome::of(run)).collect::<Vec<_>>());
        for at in self.candidates(scenario, runs[0]) {
            let Some(known) = self.known.get(scenario).map(|all| &all[at]) else { continue };
            let (order, patterns) = (known.order.clone(), known.patterns.clone());
            let patterns = match patterns {
                Some(patterns) => patterns,
                None => {
                    let patterns = self.patterns(scenario, &order, &NOISES)?;
                    if let Some(all) = self.known.get_mut(scenario) {
                        all[at].patterns = Some(patterns.clone());
                    }
                    patterns
                }
            };
            if patterns.iter().any(|known| known.fits(&pattern)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Runs the scenario in that way, and compares.
    pub fn attempt(&mut self, scenario: &Scenario, strategy: &Strategy, every: bool) -> io::Result<Attempt> {
        self.attempt_with(scenario, strategy, every, NOISES).map(|(attempt, _)| attempt)
    }

    /// The same, with the run that was made.
    pub fn attempt_with(
        &mut self,
        scenario: &Scenario,
        strategy: &Strategy,
        every: bool,
        noises: [u64; 2],
    ) -> io::Result<(Attempt, Run)> {
        let setting = Setting { noise: noises[0], every, ..Setting::default() };
        let run = self.worker.run(scenario, strategy, setting)?;
        let attempt = self.judged(scenario, strategy, setting, &run, noises[1])?;
        Ok((attempt, run))
    }

    fn judged(
        &mut self,
        scenario: &Scenario,
        strategy: &Strategy,
        setting: Setting,
        run: &Run,
        noise: u64,
    ) -> io::Result<Attempt> {
        if let Some((gate, why)) = run.diverged {
            return Ok(Attempt::Diverged(gate, why));
        }
        let kind = match run.end {
            End::Done => Kind::Outcome,
            End::Stuck => Kind::Deadlock,
            End::Livelock => Kind::Livelock,
            End::Died(ABORTED) => Kind::Abort,
            ref other => return Ok(Attempt::Undecided(undecided(other))),
        };
        if let Err(why) = self.serial(scenario)? {
            return Ok(Attempt::Undecided(why));
        }
        let candidates = self.candidates(scenario, run);
        let all = &self.known[scenario];
        if kind == Kind::Outcome {
            let outcome = Outcome::of(run);
            if candidates.iter().any(|&at| all[at].outcome == outcome) {
                return Ok(Attempt::Same);
            }
            if candidates.is_empty() {
                return Ok(Attempt::Undecided(
                    "in each order of whole calls that could explain it some call waits for ever".to_owned(),
                ));
            }
        } else if all.iter().any(|known| known.run.end == End::Stuck) {
            return Ok(Attempt::Undecided(
                "a call waits for ever in some order of whole calls, too".to_owned(),
            ));
        }
        if run.timed > 0 {
            return Ok(Attempt::Undecided("a call waits with a time limit, which others may end".to_owned()));
        }
        // Once more, with other times and random numbers: what they change is no difference.
        let again = self.worker.run(scenario, strategy, Setting { noise, ..setting })?;
        if let Some((gate, why)) = again.diverged {
            return Ok(Attempt::Diverged(gate, why));
        }
        if again.end != run.end {
            return Ok(Attempt::Undecided("it ends in different ways".to_owned()));
        }
        if kind == Kind::Outcome && self.explained(scenario, &[run, &again])? {
            return Ok(Attempt::Same);
        }
        let kind = if kind == Kind::Outcome && self.worker.program { Kind::Printed } else { kind };
        let serial = self.known[scenario]
            .iter()
            .filter(|known| known.run.end == End::Done)
            .map(|known| known.run.clone())
            .collect();
        Ok(Attempt::Differs(Box::new(Violation {
            kind,
            scenario: scenario.clone(),
            run: run.clone(),
            serial,
        })))
    }

    /// Whether two orders of steps show different things, whatever the noise.
    pub fn orders_differ(
        &mut self,
        scenario: &Scenario,
        [one, other]: [&Strategy; 2],
        noises: [u64; 2],
    ) -> io::Result<Attempt> {
        let mut runs = Vec::new();
        for (strategy, noise) in [(one, noises[0]), (one, noises[1]), (other, noises[0]), (other, noises[1])]
        {
            let run = self.worker.run(scenario, strategy, Setting { noise, ..Setting::default() })?;
            if let Some((gate, why)) = run.diverged {
                return Ok(match runs.len() < 2 {
                    true => Attempt::Diverged(gate, why),
                    false => {
                        Attempt::Undecided("the order that the text suggests was not come to".to_owned())
                    }
                });
            }
            if !matches!(run.end, End::Done | End::Stuck) {
                return Ok(Attempt::Undecided(undecided(&run.end)));
            }
            runs.push(run);
        }
        let pattern = |runs: &[Run]| Pattern::common(&runs.iter().map(Outcome::of).collect::<Vec<_>>());
        let ends_alike = runs.iter().all(|run| run.end == runs[0].end);
        if ends_alike && pattern(&runs[..2]).fits(&pattern(&runs[2..])) {
            return Ok(Attempt::Same);
        }
        let serial = vec![runs.swap_remove(2)];
        let (kind, run) = (Kind::Order, runs.swap_remove(0));
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
        if self.serial(scenario)?.is_err() {
            return Ok(0);
        }
        let orders: Vec<Vec<usize>> = self.known[scenario]
            .iter()
            .filter(|known| known.run.end == End::Done)
            .map(|known| known.order.clone())
            .collect();
        let mut patterns = Vec::new();
        for order in orders {
            patterns.push((order.clone(), self.patterns(scenario, &order, &[0, 3, 5, 7])?));
        }
        for time in 0..times {
            let (attempt, _) = self.attempt_with(scenario, strategy, every, [2 * time, 2 * time + 1])?;
            let Attempt::Differs(violation) = attempt else { return Ok(time) };
            let pattern = Pattern::common(&[Outcome::of(&violation.run)]);
            let explains = |(order, known): &(Vec<usize>, Vec<Pattern>)| {
                (!self.real_time || keeps_time(order, &violation.run))
                    && known.iter().any(|known| known.fits(&pattern))
            };
            let compared = matches!(violation.kind, Kind::Outcome | Kind::Printed);
            if compared && patterns.iter().any(explains) {
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
        End::Unknown | End::Done => "it ends, and how is not known".to_owned(),
        End::Stuck => "a call waits for ever in some order of whole calls".to_owned(),
        End::Livelock => "a call goes round in circles in some order of whole calls".to_owned(),
        End::Unmade => "the object could not be made: its constructor panics".to_owned(),
        End::Died(14) => "a run did not end in 10 seconds".to_owned(),
        End::Died(signal) => format!("the process ended by signal {signal}"),
        End::Other(what) => format!("it needs more than is driven ({what})"),
    }
}

/// Whether an order of lanes' calls has each call that ended before another one began before that one.
fn keeps_time(order: &[usize], run: &Run) -> bool {
    let mut next: Vec<Vec<(u64, u64)>> = Vec::new();
    for call in run.calls.iter().filter(|call| call.part >= 0) {
        let lane = call.part as usize;
        next.resize_with(next.len().max(lane + 1), Vec::new);
        next[lane].push((call.begin, if call.end == 0 { u64::MAX } else { call.end }));
    }
    let mut at = vec![0; next.len()];
    let mut latest = 0;
    for &lane in order {
        let Some(&(begin, end)) = next.get(lane).and_then(|calls| calls.get(at[lane])) else { return false };
        at[lane] += 1;
        // It ended before one that comes earlier in the order began.
        if end < latest {
            return false;
        }
        latest = latest.max(begin);
    }
    true
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
pub fn smaller(scenario: &Scenario) -> Vec<Scenario> {
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
    use crate::worker::Seen;

    #[test]
    fn orders_keep_lanes() {
        assert_eq!(orders(&[1, 1]), [vec![0, 1], vec![1, 0]]);
        assert_eq!(orders(&[2, 2]).len(), 6);
        assert!(orders(&[9, 9, 9]).len() > ORDERS);
    }

    #[test]
    fn who_ended_first_comes_first() {
        let call = |part, begin, end| Seen { part, begin, end, ..Seen::default() };
        let run = Run { calls: vec![call(0, 1, 2), call(1, 3, 4)], ..Run::default() };
        assert!(keeps_time(&[0, 1], &run) && !keeps_time(&[1, 0], &run));
        let overlap = Run { calls: vec![call(0, 1, 4), call(1, 2, 3)], ..Run::default() };
        assert!(keeps_time(&[0, 1], &overlap) && keeps_time(&[1, 0], &overlap));
    }
}
