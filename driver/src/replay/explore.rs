//! `cargo robust test`: random calls of a type's operations, interleaved in many ways, until one is no order of whole calls.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use super::force::{AGAIN, Rng, at_rest};
use super::harness::Operation;
use super::judge::{Attempt, Judge, Kind, Violation};
use super::worker::{Call, CodeRange, Run, Scenario, Setting, Strategy};

/// What is searched, and how far.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    pub lanes: usize,
    /// Schedules for each scenario.
    pub schedules: u64,
    pub time: Duration,
    pub seed: u64,
    /// Whether a call has to end while another one is stopped anywhere.
    pub obstruction_free: bool,
}

/// Where lanes can be stopped: code, and how its places are called.
pub struct Points {
    pub ranges: Vec<CodeRange>,
    pub names: Vec<String>,
    /// Whether they can be stopped at every atomic operation besides.
    pub every: bool,
}

/// What goes wrong.
pub struct Failure {
    pub what: What,
    pub violation: Violation,
    pub strategy: Strategy,
    /// Index of the points that it was found with.
    pub points: usize,
    pub again: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    NotLinearizable,
    NotSequential,
    Deadlock,
    Livelock,
    Abort,
    NotObstructionFree,
}

/// What came of the search.
pub struct Explored {
    pub failure: Option<Failure>,
    pub scenarios: u64,
    pub runs: u64,
    /// Scenarios of which nothing could be said, by reason.
    pub undecided: BTreeMap<String, u64>,
}

/// Points of the first calls are tried so often at most.
const FIRST: u64 = 64;
/// Calls are at first one a lane, for so many scenarios.
const PLAIN: u64 = 24;

/// Searches. `pairs` are operations that are likely to disturb one another, with weights.
pub fn explore(
    judge: &mut Judge,
    operations: &[Operation],
    pairs: &[(usize, usize)],
    points: &[Points],
    search: Search,
) -> io::Result<Explored> {
    let until = Instant::now() + search.time;
    let mut explored = Explored { failure: None, scenarios: 0, runs: 0, undecided: BTreeMap::new() };
    let mut rng = Rng::new(search.seed);
    let driven = at_rest(judge, operations, &mut rng)?;
    let mut level = usize::MAX;
    while Instant::now() < until && !driven.is_empty() {
        let wanted = (explored.scenarios % 4) as usize;
        // Places that the analysis knows first, then lines, then everything.
        let next = [0, 0, 1, 2][wanted].min(points.len() - 1);
        if next != level {
            level = next;
            judge.worker.places(&points[level].ranges)?;
        }
        let scenario = scenario(&mut rng, explored.scenarios, &driven, pairs, search.lanes);
        explored.scenarios += 1;
        let every = points[level].every;
        let mut runs = Runs { judge, every, search: &search, undecided: &mut explored.undecided, until };
        let found = runs.scenario(&scenario, &mut rng)?;
        if let Some((violation, strategy)) = found
            && let Some((violation, strategy, again)) = runs.smallest(violation, strategy)?
        {
            let what = runs.what(&violation);
            explored.failure = Some(Failure { what, violation, strategy, points: level, again });
            break;
        }
    }
    explored.runs = judge.worker.runs;
    Ok(explored)
}

fn scenario(
    rng: &mut Rng,
    number: u64,
    driven: &[usize],
    pairs: &[(usize, usize)],
    lanes: usize,
) -> Scenario {
    let wide = number % 10 == 9;
    let any = |rng: &mut Rng| {
        let op = *rng.one_of(driven);
        rng.call(op, wide)
    };
    let most = if number < PLAIN { 1 } else { 3 };
    let before = rng.below(if number < PLAIN { 3 } else { 4 });
    let after = rng.below(3);
    let before: Vec<Call> = (0..before).map(|_| any(rng)).collect();
    let mut all: Vec<Vec<Call>> =
        (0..lanes).map(|_| (0..1 + rng.below(most)).map(|_| any(rng)).collect()).collect();
    // Half of them have calls that the analysis says disturb one another.
    if !pairs.is_empty() && rng.below(2) == 0 {
        let &(one, other) = rng.one_of(pairs);
        for (lane, op) in [(0, one), (1, other)] {
            let at = rng.below(all[lane].len() as u64) as usize;
            all[lane][at].op = op;
        }
    }
    let after = (0..after).map(|_| any(rng)).collect();
    Scenario { before, lanes: all, after }
}

struct Runs<'j> {
    judge: &'j mut Judge,
    every: bool,
    search: &'j Search,
    undecided: &'j mut BTreeMap<String, u64>,
    until: Instant,
}

type Found = Option<(Violation, Strategy)>;

impl Runs<'_> {
    /// Schedules of a scenario: as it comes, with one switch at each point, with more, and at random.
    fn scenario(&mut self, scenario: &Scenario, rng: &mut Rng) -> io::Result<Found> {
        let lanes = scenario.lanes.len() as u64;
        let (found, base) = self.one(scenario, Strategy::Switches(Vec::new()))?;
        let Some(base) = base else { return Ok(found) };
        if found.is_some() {
            return Ok(found);
        }
        let points = base.user_points + 1;
        let mut left = self.search.schedules;
        let step = (points * lanes).div_ceil(FIRST.max(left * 2 / 3)).max(1);
        for at in (0..points * lanes).step_by(step as usize) {
            let switch = (at / lanes, (at % lanes) as usize);
            let (found, _) = self.one(scenario, Strategy::Switches(vec![switch]))?;
            left = left.saturating_sub(1);
            if found.is_some() || Instant::now() > self.until {
                return Ok(found);
            }
        }
        for number in 0..left {
            let strategy = match number % 3 {
                2 => Strategy::Random { seed: rng.below(u64::MAX), often: 50 + rng.below(400) },
                more => {
                    let mut switches: Vec<(u64, usize)> =
                        (0..2 + more).map(|_| (rng.below(points * 2), rng.below(lanes) as usize)).collect();
                    switches.sort_unstable();
                    Strategy::Switches(switches)
                }
            };
            let (found, _) = self.one(scenario, strategy)?;
            if found.is_some() || Instant::now() > self.until {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// One run. The second result is none when nothing can be said of the scenario.
    fn one(&mut self, scenario: &Scenario, strategy: Strategy) -> io::Result<(Found, Option<Run>)> {
        let (attempt, run) = self.judge.attempt_with(scenario, &strategy, self.every, [0, 1])?;
        match attempt {
            Attempt::Differs(violation) => return Ok((Some((*violation, strategy)), Some(run))),
            Attempt::Undecided(why) => {
                *self.undecided.entry(why).or_default() += 1;
                return Ok((None, None));
            }
            Attempt::Same | Attempt::Diverged(..) => {}
        }
        // One switch leaves one lane stopped: whoever has to wait then needs it.
        let stops = matches!(&strategy, Strategy::Switches(switches) if switches.len() == 1);
        if self.search.obstruction_free && stops && run.blocked + run.spun > 0 {
            let violation = Violation {
                kind: Kind::Livelock,
                scenario: scenario.clone(),
                run: run.clone(),
                serial: Vec::new(),
            };
            return Ok((Some((violation, strategy)), Some(run)));
        }
        Ok((None, Some(run)))
    }

    /// The same kind of failure, with as few calls and switches as can be, if it comes again and again.
    fn smallest(
        &mut self,
        violation: Violation,
        strategy: Strategy,
    ) -> io::Result<Option<(Violation, Strategy, u64)>> {
        let progress = violation.serial.is_empty();
        let kind = violation.kind;
        let mut best = (violation.clone(), strategy.clone());
        let mut scenario = violation.scenario;
        loop {
            let mut found = None;
            for candidate in super::judge::smaller(&scenario) {
                if let Some(next) = self.again(&candidate, &strategy, kind, progress)? {
                    found = Some(next);
                    break;
                }
            }
            let Some(next) = found else { break };
            scenario = next.0.scenario.clone();
            best = next;
        }
        if let Some(next) = self.again(&scenario, &best.1, kind, progress)? {
            best = next;
        }
        let again = match progress {
            true => self.stopped_again(&scenario, &best.1)?,
            false => self.judge.repeats(&scenario, &best.1, self.every, AGAIN)?,
        };
        Ok((again == AGAIN).then_some((best.0, best.1, again)))
    }

    /// A failure of that kind with one switch, or with the switches there were.
    fn again(
        &mut self,
        scenario: &Scenario,
        strategy: &Strategy,
        kind: Kind,
        progress: bool,
    ) -> io::Result<Found> {
        let base = self.judge.worker.run(
            scenario,
            &Strategy::Switches(Vec::new()),
            Setting { every: self.every, ..Setting::default() },
        )?;
        let lanes = scenario.lanes.len() as u64;
        let points = (base.user_points + 1).min(FIRST);
        let ones =
            (0..points * lanes).map(|at| Strategy::Switches(vec![(at / lanes, (at % lanes) as usize)]));
        for strategy in ones.chain([strategy.clone()]) {
            let (found, _) = self.one(scenario, strategy)?;
            let same =
                |found: &(Violation, Strategy)| found.0.kind == kind && found.0.serial.is_empty() == progress;
            if let Some(found) = found.filter(same) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// How often of so many times somebody waits for the one that is stopped.
    fn stopped_again(&mut self, scenario: &Scenario, strategy: &Strategy) -> io::Result<u64> {
        let mut again = 0;
        for noise in 0..AGAIN {
            let setting = Setting { noise, every: self.every, ..Setting::default() };
            let run = self.judge.worker.run(scenario, strategy, setting)?;
            again += u64::from(run.blocked + run.spun > 0);
        }
        Ok(again)
    }

    fn what(&self, violation: &Violation) -> What {
        match violation.kind {
            _ if violation.serial.is_empty() => What::NotObstructionFree,
            Kind::Outcome if self.judge.real_time => What::NotLinearizable,
            Kind::Outcome | Kind::Order | Kind::Printed => What::NotSequential,
            Kind::Deadlock => What::Deadlock,
            Kind::Livelock => What::Livelock,
            Kind::Abort => What::Abort,
        }
    }
}

impl What {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            What::NotLinearizable => "not linearizable",
            What::NotSequential => "not sequentially consistent",
            What::Deadlock => "deadlock",
            What::Livelock => "livelock",
            What::Abort => "the process ends itself",
            What::NotObstructionFree => "not obstruction-free",
        }
    }
}
