//! The reduction against the oracle, on one program: what the tests and the long runs of `robust-benchmarks` do.

use std::time::{Duration, Instant};

use crate::check::{self, Options, Verdict};
use crate::ir::{ProcId, Program};
use crate::reach::{self, Bounds, Effort, Session};
use crate::semantics::Machine;
use crate::semantics::oracle::{self, Answer, Limits};
use crate::translate::{self, Mutation, Precision, Start, Translated};

/// A property to compare on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// Conflict determinism of the first event, in every state that at most so many event instances leave.
    Determinism(u32),
    /// Conflict serializability, with at most so many event instances.
    Serializability(u32),
}

/// How reduction and oracle agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// Both find a violation.
    Violated,
    /// Neither does.
    Holds,
    /// The oracle finds a violation that the reduction does not: the reduction is wrong.
    Lost,
    /// The same, but some other event is not deterministic. The reduction promises nothing then, and the program is reported for
    /// that event.
    Nondeterministic,
    /// The reduction finds a violation that does not exist, and it even replays: reduction or oracle is wrong.
    Spurious,
    /// The reduction finds a violation that exists, but lies behind a cycle that guards closed before; the oracle does
    /// not look there, and the reduction need not.
    BehindGuards,
    /// The translation lets a run through that cannot be scheduled; the replay noticed, and nothing is reported.
    Dropped,
    /// The check gave no answer.
    Unknown,
    /// Too many states to enumerate.
    TooLarge,
}

/// A comparison: how it ended and how long both sides took.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// How it ended.
    pub agreement: Agreement,
    /// Time of the oracle.
    pub oracle: Duration,
    /// Time of the reduction.
    pub reduction: Duration,
}

/// Loops and recursions are unrolled this often; and so often, when a violation seems to be lost.
const UNROLL: [u32; 2] = [3, 6];
/// For one answer of the solver.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Compares the verdicts of oracle and reduction on a valid program. The raw translation is asked first; where it does not
/// agree with the oracle, the check decides, which also replays.
///
/// # Panics
/// When the program is not valid, or the solver gives up.
pub fn compare(program: &Program, property: Property, limits: Limits) -> Comparison {
    let machine = Machine::new(program).expect("only valid programs are compared");
    let started = Instant::now();
    let (machine, answer) = judged(machine, property, limits);
    let oracle = started.elapsed();
    let started = Instant::now();
    let agreement = match answer {
        Answer::TooLarge => Agreement::TooLarge,
        Answer::Violated if !UNROLL.iter().any(|&n| reduce(&machine, property, n, Mutation::None)) => {
            lost(&machine, property, limits)
        }
        Answer::Holds if !reduce(&machine, property, UNROLL[0], Mutation::None) => Agreement::Holds,
        _ => match (answer, verdict(program, property)) {
            (_, Verdict::Unknown { .. }) => Agreement::Unknown,
            (Answer::Violated, Verdict::Violated) => Agreement::Violated,
            (Answer::Violated, _) => lost(&machine, property, limits),
            (_, Verdict::Violated) => behind_guards(&machine, property, limits),
            _ => Agreement::Dropped,
        },
    };
    Comparison { agreement, oracle, reduction: started.elapsed() }
}

/// What the oracle says. Where it tries only some integers, it tries those as well that the reduction comes up with: whatever
/// integers it finds a violation with, there is one.
fn judged(machine: Machine, property: Property, limits: Limits) -> (Machine, Answer) {
    let answer = enumerate(&machine, property, limits);
    if answer == Answer::Holds
        && machine.is_sampled()
        && let Some(chosen) = violation(&machine, property, UNROLL[0], Mutation::None)
    {
        let machine = machine.trying_also(&chosen);
        let answer = enumerate(&machine, property, limits);
        return (machine, answer);
    }
    (machine, answer)
}

/// What a violation is that only the oracle finds.
fn lost(machine: &Machine, property: Property, limits: Limits) -> Agreement {
    let (first, before) = match property {
        Property::Determinism(before) => (1, before.saturating_sub(1)),
        Property::Serializability(events) => (0, events.saturating_sub(1)),
    };
    let nondeterministic =
        |event: ProcId| oracle::determinism(machine, event, before, limits) == Answer::Violated;
    match machine.program.events().skip(first).any(nondeterministic) {
        true => Agreement::Nondeterministic,
        false => Agreement::Lost,
    }
}

/// What a violation is that only the reduction finds.
fn behind_guards(machine: &Machine, property: Property, limits: Limits) -> Agreement {
    let Property::Serializability(events) = property else { return Agreement::Spurious };
    match oracle::serializability_behind_guards(machine, events, limits) {
        Answer::Violated => Agreement::BehindGuards,
        Answer::Holds => Agreement::Spurious,
        Answer::TooLarge => Agreement::TooLarge,
    }
}

/// What the oracle says.
pub fn enumerate(machine: &Machine, property: Property, limits: Limits) -> Answer {
    match property {
        Property::Determinism(before) => {
            let event = machine.program.events().next().expect("there is an event");
            oracle::determinism(machine, event, before, limits)
        }
        Property::Serializability(events) => oracle::serializability(machine, events, limits),
    }
}

/// Whether the translated program reaches its error flag. Nothing is replayed.
///
/// # Panics
/// When the translation is not a valid program, or the solver gives up.
pub fn reduce(machine: &Machine, property: Property, unroll: u32, mutation: Mutation) -> bool {
    violation(machine, property, unroll, mutation).is_some()
}

/// The integers that are chosen on the way to the error flag of the translated program, if it is reached.
fn violation(machine: &Machine, property: Property, unroll: u32, mutation: Mutation) -> Option<Vec<i128>> {
    let program = &machine.program;
    let coarse = Precision::Coarse;
    let chosen = |translated| chosen(machine, translated, unroll, mutation);
    match property {
        Property::Determinism(before) => (0..=before).find_map(|before| {
            let event = program.events().next().expect("there is an event");
            chosen(translate::detstr(program, event, Start::After(before), coarse, mutation))
        }),
        Property::Serializability(events) => chosen(translate::robstr(program, events, coarse, mutation)),
    }
}

/// The integers that are chosen on the way to the error flag, if that is reached.
fn chosen(machine: &Machine, translated: Translated, unroll: u32, mutation: Mutation) -> Option<Vec<i128>> {
    let translated = translate::seq(translated);
    let types = translated.types(&machine.types).expect("translations are valid");
    let mut bounds = Bounds::unrolled(unroll);
    if let Mutation::Narrow(bits) = mutation {
        bounds.integer_bits = bits;
    }
    let run = reach::run(&translated.program, &types, translated.entry, translated.error, bounds);
    let last = *run.goals.last().expect("every run has a goal");
    let mut session =
        Session::new(reach::Engine::Thorough, Options::default().memory, Some(Instant::now() + TIMEOUT));
    match session.ask(&run.circuit, &[last], Effort::Full) {
        reach::Answer::Reachable(inputs) => Some(run.chosen(&run.circuit.evaluate(&inputs))),
        reach::Answer::Unreachable => None,
        reach::Answer::Unknown(reason) => panic!("the solver gave up: {reason}"),
    }
}

/// The verdict that a user gets.
pub fn verdict(program: &Program, property: Property) -> Verdict {
    let options = Options { unroll: UNROLL[1], timeout: TIMEOUT, jobs: 1, ..Options::default() };
    match property {
        Property::Determinism(before) => {
            let event = program.events().next().expect("there is an event");
            let mut outcome = check::check(program, &Options { events: before + 1, ..options });
            outcome.determinism.remove(&program.proc(event).name).expect("every event gets a verdict")
        }
        Property::Serializability(events) => {
            check::check(program, &Options { events, ..options }).serializability
        }
    }
}
