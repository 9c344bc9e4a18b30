//! The questions about a program and their answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::filter::Filter;
use crate::finding::Finding;
use crate::ir::{ProcId, Program};
use crate::question::{Answered, Question};
use crate::semantics::Machine;

/// What bounds the search for violations of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Greatest number of event instances in a run, all events together (serializability).
    pub events: u32,
    /// Greatest number of times a `while` body is unrolled and a recursive procedure is nested. Fewer are tried first.
    pub unroll: u32,
    /// Greatest number of distinct violations that are looked for in one question.
    pub findings: usize,
    /// Time for one question.
    pub timeout: Duration,
    /// Time for all questions together.
    pub total: Duration,
    /// Memory in megabytes: of the solvers of all questions together, and of what they are asked in each.
    pub memory: u32,
    /// How many questions are worked on at a time; 0 for as many as there are processors.
    pub jobs: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            events: 3,
            unroll: 16,
            findings: 8,
            timeout: Duration::from_secs(30),
            total: Duration::from_secs(3600),
            memory: 2048,
            jobs: 0,
        }
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
    /// Violated questions in which not all violations were looked for: there may be more.
    #[serde(default)]
    pub limited: u32,
    /// Candidate schedules that the reference interpreter did not accept, and which were therefore dropped.
    pub not_replayed: u32,
    /// Free choices (bits) of all questions that a solver was asked.
    pub choices: u64,
    /// Time in milliseconds spent translating.
    pub translate_ms: u64,
    /// Time in milliseconds spent in the solver.
    pub solve_ms: u64,
    /// Time in milliseconds spent replaying witnesses.
    pub replay_ms: u64,
}

/// Asks both questions of every event of `program` and of its event set. The program must be valid; one that is not
/// gets "unknown" everywhere. The outcome does not depend on the number of jobs, timeouts apart.
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
    let events: Vec<ProcId> = program.events().collect();
    let (open, filtered): (Vec<ProcId>, Vec<ProcId>) =
        events.iter().partition(|&&e| filter.may_be_nondeterministic(e));
    for event in filtered {
        let verdict = outcome.filtered();
        outcome.determinism.insert(program.proc(event).name.clone(), verdict);
    }
    let until = Instant::now() + options.total;
    let questions: Vec<Question> = open.iter().map(|&e| Question::Determinism(e)).collect();
    for (event, answered) in open.iter().zip(ask_all(&machine, &questions, options, until, false)) {
        let verdict = outcome.take(answered);
        outcome.determinism.insert(program.proc(*event).name.clone(), verdict);
    }
    outcome.despite_nondeterminism =
        outcome.determinism.values().any(|v| *v != Verdict::Holds { bound: None });
    let questions = serializability_questions(&filter);
    if questions.is_empty() {
        outcome.filtered();
    }
    for answered in ask_all(&machine, &questions, options, until, outcome.despite_nondeterminism) {
        let verdict = outcome.take(answered);
        outcome.serializability = worse(outcome.serializability.clone(), verdict);
    }
    outcome
}

/// Groups with more events than this are looked at two events at a time.
const GROUP: usize = 6;

/// One question per group of events; for large groups one per pair.
fn serializability_questions(filter: &Filter) -> Vec<Question> {
    let mut questions = Vec::new();
    for group in filter.groups() {
        match group.len() {
            0..=GROUP => questions.push(Question::Serializability(group)),
            _ => questions.extend(filter.pairs(&group).into_iter().map(Question::Pair)),
        }
    }
    questions
}

/// The answers to all questions, in their order. What is not begun before `until` is not answered.
fn ask_all(
    machine: &Machine,
    questions: &[Question],
    options: &Options,
    until: Instant,
    despite: bool,
) -> Vec<Answered> {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = if options.jobs == 0 { processors() } else { options.jobs };
    let (next, answers) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(question) = questions.get(next.fetch_add(1, Ordering::Relaxed)) {
            let index = questions.iter().position(|q| std::ptr::eq(q, question)).unwrap_or(0);
            let left = until.saturating_duration_since(Instant::now());
            let options = Options { timeout: options.timeout.min(left), ..options.clone() };
            let answered = question.ask(machine, &options, despite);
            answers.lock().unwrap_or_else(|e| e.into_inner()).push((index, answered));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(questions.len()) {
            // Deep programs recurse deeply.
            let builder = std::thread::Builder::new().stack_size(256 << 20);
            if builder.spawn_scoped(scope, work).is_err() {
                work();
            }
        }
    });
    let mut answers = answers.into_inner().unwrap_or_else(|e| e.into_inner());
    answers.sort_by_key(|(index, _)| *index);
    answers.into_iter().map(|(_, answered)| answered).collect()
}

impl Outcome {
    /// A question that the filter answers.
    fn filtered(&mut self) -> Verdict {
        self.statistics.questions += 1;
        self.statistics.filtered += 1;
        Verdict::Holds { bound: None }
    }

    /// Adds what was found out about a question.
    fn take(&mut self, answered: Answered) -> Verdict {
        for finding in answered.findings {
            if !self.findings.iter().any(|known| known.is_same_race(&finding)) {
                self.findings.push(finding);
            }
        }
        let (own, more) = (&mut self.statistics, answered.statistics);
        own.questions += 1;
        own.limited += more.limited;
        own.not_replayed += more.not_replayed;
        own.choices += more.choices;
        own.translate_ms += more.translate_ms;
        own.solve_ms += more.solve_ms;
        own.replay_ms += more.replay_ms;
        match answered.verdict {
            Verdict::Violated => own.violated += 1,
            Verdict::Holds { bound: None } => own.proved += 1,
            Verdict::Holds { bound: Some(_) } => own.bounded += 1,
            Verdict::Unknown { .. } => own.unknown += 1,
        }
        answered.verdict
    }
}

/// The verdict on both, given the verdict on each. Different bounds are listed, with a semicolon between them.
pub(crate) fn worse(a: Verdict, b: Verdict) -> Verdict {
    if let (Verdict::Holds { bound: Some(a) }, Verdict::Holds { bound: Some(b) }) = (&a, &b) {
        let all: BTreeSet<&str> = a.split("; ").chain(b.split("; ")).collect();
        return Verdict::Holds { bound: Some(all.into_iter().collect::<Vec<_>>().join("; ")) };
    }
    let rank = |v: &Verdict| match v {
        Verdict::Violated => 3,
        Verdict::Unknown { .. } => 2,
        Verdict::Holds { bound: Some(_) } => 1,
        Verdict::Holds { bound: None } => 0,
    };
    if rank(&b) > rank(&a) { b } else { a }
}
