//! The questions about a program and their answers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::finding::{self, Finding};
use crate::ir::{ProcId, ProcKind, Program};
use crate::reach::{self, Answer, Session};
use crate::semantics::Machine;
use crate::translate::{self, Precision, Translated};
use crate::witness;

/// What bounds the search for violations of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Greatest number of event instances in a run, all events together (serializability).
    pub events: u32,
    /// Greatest number of times a `while` body is unrolled and a recursive procedure is nested.
    pub unroll: u32,
    /// Time for one question.
    pub timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Options { events: 3, unroll: 2, timeout: Duration::from_secs(30) }
    }
}

/// The answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum Verdict {
    /// There is a violation, and its witness replays in the reference interpreter.
    Violated,
    /// There is none.
    Holds {
        /// `None` when that is proved for every run; else the bound up to which it was searched, in words.
        bound: Option<String>,
    },
    /// The search could not complete.
    Unknown {
        /// Why: time, memory, something unsupported.
        reason: String,
    },
}

/// Everything that was asked of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Conflict determinism, by name of the event.
    pub determinism: BTreeMap<String, Verdict>,
    /// Conflict serializability of the event set.
    pub serializability: Verdict,
    /// Whether some event is not deterministic, so that the serializability answer is not exact in the sense of the paper.
    pub despite_nondeterminism: bool,
    /// The violations.
    pub findings: Vec<Finding>,
    /// How the questions went.
    pub statistics: Statistics,
}

/// Counts over the questions of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Questions asked: one per event (determinism) and one per group of events (serializability).
    pub questions: u32,
    /// Answered by the static filter, without a solver.
    pub filtered: u32,
    /// Answered "holds" for every run.
    pub proved: u32,
    /// Answered "holds" up to a bound.
    pub bounded: u32,
    /// Answered "violated".
    pub violated: u32,
    /// Not answered.
    pub unknown: u32,
    /// Candidate schedules that the reference interpreter did not accept, and which were therefore dropped.
    pub not_replayed: u32,
    /// Time in milliseconds spent translating.
    pub translate_ms: u64,
    /// Time in milliseconds spent in the solver.
    pub solve_ms: u64,
    /// Time in milliseconds spent replaying witnesses.
    pub replay_ms: u64,
}

/// Asks both questions of every event of `program` and of its event set. The program must be valid; one that is not
/// gets "unknown" everywhere.
pub fn check(program: &Program, options: &Options) -> Outcome {
    let mut outcome = Outcome {
        determinism: BTreeMap::new(),
        serializability: Verdict::Holds { bound: None },
        despite_nondeterminism: false,
        findings: Vec::new(),
        statistics: Statistics::default(),
    };
    let machine = match Machine::new(program) {
        Ok(machine) => machine,
        Err(invalid) => {
            outcome.serializability = Verdict::Unknown { reason: invalid.message };
            return outcome;
        }
    };
    let filter = Filter::new(&machine);
    for event in program.events() {
        let question = Question::Determinism(event);
        let verdict = match filter.may_be_nondeterministic(event) {
            true => ask(&machine, program, &question, options, &mut outcome),
            false => outcome.filtered(),
        };
        outcome.determinism.insert(program.proc(event).name.clone(), verdict);
    }
    outcome.despite_nondeterminism =
        outcome.determinism.values().any(|v| *v != Verdict::Holds { bound: None });
    let groups = filter.groups();
    if groups.is_empty() {
        outcome.filtered();
    }
    for group in groups {
        let question = Question::Serializability(group);
        let verdict = ask(&machine, program, &question, options, &mut outcome);
        outcome.serializability = worse(outcome.serializability.clone(), verdict);
    }
    outcome
}

impl Outcome {
    /// A question that the filter answers.
    fn filtered(&mut self) -> Verdict {
        self.statistics.questions += 1;
        self.statistics.filtered += 1;
        Verdict::Holds { bound: None }
    }
}

/// The verdict on both, given the verdict on each.
fn worse(a: Verdict, b: Verdict) -> Verdict {
    let rank = |v: &Verdict| match v {
        Verdict::Violated => 3,
        Verdict::Unknown { .. } => 2,
        Verdict::Holds { bound: Some(_) } => 1,
        Verdict::Holds { bound: None } => 0,
    };
    if rank(&b) > rank(&a) { b } else { a }
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Question {
    /// Is this event deterministic?
    Determinism(ProcId),
    /// Are these events, and no others, serializable?
    Serializability(Vec<ProcId>),
}

/// Findings that are looked for in one question.
const FINDINGS: usize = 8;
/// Rounds of making a violation smaller.
const SMALLER: u32 = 12;
/// Runs that do not replay before a question is given up.
const SPURIOUS: u32 = 100;

/// Asks one question with rising bounds, and notes what is found.
fn ask(
    machine: &Machine,
    program: &Program,
    question: &Question,
    options: &Options,
    outcome: &mut Outcome,
) -> Verdict {
    outcome.statistics.questions += 1;
    let verdict = match question {
        Question::Determinism(event) => {
            let translate = |precision| translate::detseq(program, *event, precision);
            refine(machine, program, question, translate, options, outcome).0
        }
        Question::Serializability(events) => {
            let program = only_events(program, events);
            let mut verdict = Verdict::Holds { bound: None };
            for instances in 2..=options.events.max(2) {
                let instances = instances.min(options.events);
                let translate = |precision| translate::robseq(&program, instances, precision);
                let (answer, truncated) = refine(machine, &program, question, translate, options, outcome);
                verdict = answer;
                if !matches!(verdict, Verdict::Holds { .. }) {
                    break;
                }
                let loops = if truncated {
                    format!(", loops unrolled {} times", options.unroll)
                } else {
                    String::new()
                };
                verdict =
                    Verdict::Holds { bound: Some(format!("{} event instances{loops}", options.events)) };
            }
            verdict
        }
    };
    let statistics = &mut outcome.statistics;
    match verdict {
        Verdict::Violated => statistics.violated += 1,
        Verdict::Holds { bound: None } => statistics.proved += 1,
        Verdict::Holds { bound: Some(_) } => statistics.bounded += 1,
        Verdict::Unknown { .. } => statistics.unknown += 1,
    }
    verdict
}

/// The program with the other events out of the way.
fn only_events(program: &Program, events: &[ProcId]) -> Program {
    let mut program = program.clone();
    for (p, proc) in program.procs.iter_mut().enumerate() {
        if matches!(proc.kind, ProcKind::Event { .. }) && !events.contains(&ProcId(p as u32)) {
            proc.kind = ProcKind::Proc;
            proc.body.clear();
        }
    }
    program
}

/// Searches the coarse translation; and the fine one, if the coarse one lets runs through that cannot be scheduled.
fn refine(
    machine: &Machine,
    program: &Program,
    question: &Question,
    translate: impl Fn(Precision) -> Translated,
    options: &Options,
    outcome: &mut Outcome,
) -> (Verdict, bool) {
    for precision in [Precision::Coarse, Precision::Fine] {
        let started = Instant::now();
        let translated = translate(precision);
        outcome.statistics.translate_ms += started.elapsed().as_millis() as u64;
        let spurious = if precision == Precision::Coarse { 1 } else { SPURIOUS };
        if let Some(answer) = search(machine, program, question, &translated, spurious, options, outcome) {
            return answer;
        }
    }
    let reason = format!("{SPURIOUS} candidate schedules could not be replayed");
    (Verdict::Unknown { reason }, false)
}

/// Looks for all distinct violations of one sequential program; whether a bound was hit comes along. `None` when
/// `most_spurious` runs could not be replayed.
fn search(
    machine: &Machine,
    program: &Program,
    question: &Question,
    translated: &Translated,
    most_spurious: u32,
    options: &Options,
    outcome: &mut Outcome,
) -> Option<(Verdict, bool)> {
    let started = Instant::now();
    let unknown = |reason: String| Verdict::Unknown { reason };
    let types = match translated.types(&machine.types) {
        Ok(types) => types,
        Err(invalid) => return Some((unknown(invalid.message), false)),
    };
    let mut run = reach::run(&translated.program, &types, translated.entry, translated.error, options.unroll);
    let mut session = Session::new(&run.circuit, run.goal, options.timeout);
    let event = match question {
        Question::Determinism(event) => Some(*event),
        Question::Serializability(_) => None,
    };
    let (mut found, mut spurious) = (0, 0);
    let verdict = loop {
        let answer = session.ask(&run.circuit);
        let inputs = match answer {
            Answer::Reachable(inputs) => inputs,
            Answer::Unreachable if found > 0 => break Verdict::Violated,
            Answer::Unreachable => {
                let bound = run.truncated.then(|| format!("loops unrolled {} times", options.unroll));
                break Verdict::Holds { bound };
            }
            Answer::Unknown(_) if found > 0 => break Verdict::Violated,
            Answer::Unknown(reason) => break unknown(reason),
        };
        let values = run.circuit.evaluate(&witness::minimize(&run, inputs, &mut session, SMALLER));
        let replaying = Instant::now();
        let trace = witness::extract(machine, translated, &run, &values);
        let replayed = witness::replay(machine, &trace, event);
        outcome.statistics.replay_ms += replaying.elapsed().as_millis() as u64;
        match replayed {
            Some(replayed) => {
                found += 1;
                let finding =
                    finding::describe(program, &trace, &replayed, event, outcome.despite_nondeterminism);
                if !outcome.findings.iter().any(|f| f.fingerprint == finding.fingerprint) {
                    outcome.findings.push(finding);
                }
                if found == FINDINGS {
                    break Verdict::Violated;
                }
                witness::exclude_violation(&mut run, translated, &values, &mut session);
            }
            None => {
                spurious += 1;
                outcome.statistics.not_replayed += 1;
                if spurious == most_spurious {
                    match found {
                        0 => return None,
                        _ => break Verdict::Violated,
                    }
                }
                witness::exclude_run(&run, &values, &mut session);
            }
        }
    };
    outcome.statistics.solve_ms += started.elapsed().as_millis() as u64;
    Some((verdict, run.truncated))
}
