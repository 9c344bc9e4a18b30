//! Forcing the schedule of a finding, with arguments and states to try.

use std::collections::BTreeMap;
use std::io;
use std::time::{Duration, Instant};

use super::harness::Operation;
use super::judge::{Attempt, Judge, Violation};
use super::plan::Plan;
use super::worker::{Call, Gate, Scenario, Strategy, WHOLE, Why};

/// So often what was seen has to come again.
pub const AGAIN: u64 = 20;
/// So often a program is run.
const PROGRAM: u64 = 4;
/// So many numbers a call is made of.
const NUMBERS: usize = 8;

/// Numbers that only look random.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5851_F42D_4C95_7F2D)
    }

    pub fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ (x >> 31)) % most.max(1)
    }

    pub fn call(&mut self, op: usize, wide: bool) -> Call {
        let most = if wide { 7 } else { 3 };
        Call { op, numbers: (0..NUMBERS).map(|_| self.below(most)).collect() }
    }

    pub fn one_of<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len() as u64) as usize]
    }
}

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Scenarios for each variant.
    pub tries: u64,
    pub seed: u64,
    pub time: Duration,
}

/// What came of it.
pub struct Forced {
    /// How often the finding's own schedule was tried, and forced to its end.
    pub tried: u64,
    pub forced: u64,
    /// Where it took another course: by gate of the finding's own schedule.
    pub diverged: BTreeMap<(usize, Why), u64>,
    /// Why nothing could be said of runs that were forced.
    pub undecided: Vec<String>,
    pub violation: Option<Confirmed>,
    /// Whether the time was over before all was tried.
    pub cut: bool,
}

impl std::fmt::Debug for Confirmed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Confirmed").field("again", &self.again).finish_non_exhaustive()
    }
}

/// A violation, as often as it was asked for.
pub struct Confirmed {
    pub violation: Violation,
    pub again: u64,
    /// The operation that came in between as a whole, in place of those of the finding.
    pub between: Option<usize>,
    pub gates: Vec<Gate>,
}

/// Tries a finding's schedule; then the lane that is torn apart, with each operation as a whole in between.
pub fn force(
    judge: &mut Judge,
    plan: &Plan,
    lanes: &[usize],
    operations: &[Operation],
    effort: Effort,
) -> io::Result<Forced> {
    let until = Instant::now() + effort.time;
    let mut forced = Forced {
        tried: 0,
        forced: 0,
        diverged: BTreeMap::new(),
        undecided: Vec::new(),
        violation: None,
        cut: false,
    };
    let mut rng = Rng::new(effort.seed);
    // A program is run as a whole: nothing is called before or after it, and there is nothing to vary.
    let (driven, tries) = match judge.worker.program {
        true => (Vec::new(), effort.tries.min(PROGRAM)),
        false => (at_rest(judge, operations, &mut rng)?, effort.tries),
    };
    for attempt in 0..tries {
        if Instant::now() > until {
            forced.cut = true;
            return Ok(forced);
        }
        let scenario = scenario(&mut rng, attempt, lanes, &driven);
        forced.tried += 1;
        match attempted(judge, plan, &scenario, [0, 1])? {
            Attempt::Diverged(gate, why) => *forced.diverged.entry((gate, why)).or_default() += 1,
            Attempt::Same => forced.forced += 1,
            Attempt::Undecided(why) => note(&mut forced.undecided, why),
            Attempt::Differs(violation) => {
                forced.forced += 1;
                forced.violation = match &plan.expected {
                    Some(_) => confirmed_order(judge, plan, *violation)?,
                    None => confirmed(judge, *violation, &plan.gates, None)?,
                };
                if forced.violation.is_some() {
                    return Ok(forced);
                }
            }
        }
    }
    let (Some(gates), Some(&torn)) = (plan.whole(), lanes.get(plan.torn)) else { return Ok(forced) };
    for attempt in 0..effort.tries {
        for &op in &driven {
            if Instant::now() > until {
                forced.cut = true;
                return Ok(forced);
            }
            let scenario = scenario(&mut rng, attempt, &[torn, op], &driven);
            let found = judge.attempt(&scenario, &Strategy::Gates(gates.clone()), false)?;
            if let Attempt::Differs(violation) = found {
                forced.violation = confirmed(judge, *violation, &gates, Some(op))?;
                if forced.violation.is_some() {
                    return Ok(forced);
                }
            }
        }
    }
    Ok(forced)
}

/// Tries the finding's own schedule, and compares it with whole calls, or with the order that the text suggests.
fn attempted(judge: &mut Judge, plan: &Plan, scenario: &Scenario, noises: [u64; 2]) -> io::Result<Attempt> {
    let own = Strategy::Gates(plan.gates.clone());
    match &plan.expected {
        Some(gates) => judge.orders_differ(scenario, [&own, &Strategy::Gates(gates.clone())], noises),
        None => judge.attempt(scenario, &own, false),
    }
}

/// The operations that can be called, and whose calls come to rest.
pub fn at_rest(judge: &mut Judge, operations: &[Operation], rng: &mut Rng) -> io::Result<Vec<usize>> {
    let mut all = Vec::new();
    for op in (0..operations.len()).filter(|&op| operations[op].missing.is_none()) {
        if judge.comes_to_rest(&rng.call(op, false))? {
            all.push(op);
        }
    }
    Ok(all)
}

fn note(all: &mut Vec<String>, why: String) {
    if !all.contains(&why) {
        all.push(why);
    }
}

/// Calls of these operations, one a lane, with others before and after.
pub fn scenario(rng: &mut Rng, attempt: u64, lanes: &[usize], others: &[usize]) -> Scenario {
    let wide = attempt % 10 == 9;
    // Plain ones first: most bugs need no history.
    let most = if attempt < 6 || others.is_empty() { 0 } else { 3 };
    let before = rng.below(most + 1);
    let after = rng.below(most.min(2) + 1);
    let mut any = |count: u64| -> Vec<Call> {
        (0..count)
            .map(|_| {
                let op = *rng.one_of(others);
                rng.call(op, wide)
            })
            .collect()
    };
    let (before, after) = (any(before), any(after));
    let lanes = lanes.iter().map(|&op| vec![rng.call(op, wide)]).collect();
    Scenario { before, lanes, after }
}

/// The same, with as little as it needs, again and again.
fn confirmed(
    judge: &mut Judge,
    violation: Violation,
    gates: &[Gate],
    between: Option<usize>,
) -> io::Result<Option<Confirmed>> {
    let strategy = Strategy::Gates(gates.to_vec());
    let kind = violation.kind;
    let scenario = judge.smaller(violation.scenario.clone(), |judge, scenario| {
        let attempt = judge.attempt(scenario, &strategy, false)?;
        Ok(matches!(attempt, Attempt::Differs(other) if other.kind == kind))
    })?;
    let again = judge.repeats(&scenario, &strategy, false, AGAIN)?;
    if again < AGAIN {
        return Ok(None);
    }
    let Attempt::Differs(violation) = judge.attempt(&scenario, &strategy, false)? else { return Ok(None) };
    Ok(Some(Confirmed { violation: *violation, again, between, gates: gates.to_vec() }))
}

/// The same of a difference between two orders of one event's tasks.
fn confirmed_order(judge: &mut Judge, plan: &Plan, violation: Violation) -> io::Result<Option<Confirmed>> {
    let scenario = judge.smaller(violation.scenario.clone(), |judge, scenario| {
        Ok(matches!(attempted(judge, plan, scenario, [0, 1])?, Attempt::Differs(_)))
    })?;
    for time in 0..AGAIN {
        let attempt = attempted(judge, plan, &scenario, [2 * time, 2 * time + 1])?;
        if !matches!(attempt, Attempt::Differs(_)) {
            return Ok(None);
        }
    }
    let Attempt::Differs(violation) = attempted(judge, plan, &scenario, [0, 1])? else { return Ok(None) };
    Ok(Some(Confirmed { violation: *violation, again: AGAIN, between: None, gates: plan.gates.clone() }))
}

/// Whether a gate stands for a lane as a whole.
pub fn is_whole(gate: &Gate) -> bool {
    gate.place == WHOLE
}
