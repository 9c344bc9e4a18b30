//! The questions about a program and their answers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::case::{Case, Places, part_of};
use crate::feeders::Feeders;
use crate::filter::Filter;
use crate::finding::{self, Finding};
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
    /// The part of the questions that is asked; all when there is none.
    pub part: Option<Part>,
}

/// A part of the questions, when several machines share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// Which, counted from 1.
    pub index: u32,
    /// Of how many.
    pub of: u32,
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
            part: None,
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

impl Statistics {
    /// The same with the times, and the choices, of others added.
    pub(crate) fn with_times_of(self, other: Statistics) -> Statistics {
        Statistics {
            choices: self.choices + other.choices,
            translate_ms: self.translate_ms + other.translate_ms,
            solve_ms: self.solve_ms + other.solve_ms,
            replay_ms: self.replay_ms + other.replay_ms,
            ..self
        }
    }

    /// Sets the times to zero: what is left is the same in every run.
    pub fn forget_times(&mut self) {
        (self.translate_ms, self.solve_ms, self.replay_ms) = (0, 0, 0);
    }
}

/// Asks both questions of every event of `program` and of its event set. The program must be valid; one that is not
/// gets "unknown" everywhere. The outcome does not depend on the number of jobs, timeouts apart.
pub fn check(program: &Program, options: &Options) -> Outcome {
    let plan = Plan::new(program, options);
    let until = Instant::now() + options.total;
    let answers = in_parallel(
        options.jobs,
        &plan.asked,
        || (),
        |(), asked| asked.case.answer(options.timeout.min(until.saturating_duration_since(Instant::now()))),
    );
    plan.outcome(answers)
}

/// What is to be asked of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The questions for the solver: determinism first.
    pub asked: Vec<Asked>,
    /// The events that the filter proves to be deterministic.
    deterministic: Vec<String>,
    /// The filter proves the event set to be serializable.
    serializable: bool,
    /// Whether these are not all questions.
    is_part: bool,
    /// Why nothing can be asked.
    invalid: Option<String>,
}

/// A question of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The event whose determinism it is about; none: serializability.
    pub event: Option<String>,
    /// The question.
    pub case: Arc<Case>,
    places: Places,
}

/// Groups with more events than this are looked at two events at a time.
const GROUP: usize = 6;

impl Plan {
    /// The questions about a program.
    pub fn new(program: &Program, options: &Options) -> Plan {
        let machine = match Machine::new(program) {
            Ok(machine) => machine,
            Err(invalid) => return Plan { invalid: Some(invalid.message), ..Plan::default() },
        };
        let filter = Filter::new(&machine);
        let flags = finding::flags(&machine.program);
        let feeders = Feeders::new(&machine.program);
        let (open, filtered): (Vec<ProcId>, Vec<ProcId>) =
            program.events().partition(|&event| filter.may_be_nondeterministic(event));
        let name = |event: ProcId| program.proc(event).name.clone();
        let ask = |event: Option<ProcId>, question: Question| {
            let (case, places) = Case::cut(&question, &machine, &flags, &feeders, options);
            Asked { event: event.map(name), case: Arc::new(case), places }
        };
        let mut asked: Vec<Asked> =
            open.into_iter().map(|event| ask(Some(event), Question::Determinism(event))).collect();
        let serializability = serializability_questions(&filter);
        let mut plan = Plan {
            deterministic: filtered.into_iter().map(name).collect(),
            serializable: serializability.is_empty(),
            ..Plan::default()
        };
        asked.extend(serializability.into_iter().map(|question| ask(None, question)));
        plan.asked = asked;
        plan.keep(options.part);
        plan
    }

    /// Leaves out what other parts ask. Each question is in one part, whatever else the program holds.
    fn keep(&mut self, part: Option<Part>) {
        let Some(part) = part else { return };
        self.is_part = true;
        self.asked.retain(|asked| asked.case.part(part.of) == part.index);
        self.deterministic.retain(|event| part_of(&Sha256::digest(event).into(), part.of) == part.index);
        self.serializable &= part.index == 1;
    }

    /// What the answers to the questions, in their order, amount to.
    pub fn outcome(&self, answers: impl IntoIterator<Item = Answered>) -> Outcome {
        let mut outcome = Outcome {
            determinism: BTreeMap::new(),
            serializability: Verdict::Holds { bound: None },
            despite_nondeterminism: false,
            findings: Vec::new(),
            statistics: Statistics::default(),
        };
        if let Some(reason) = &self.invalid {
            outcome.serializability = Verdict::Unknown { reason: reason.clone() };
            return outcome;
        }
        for event in &self.deterministic {
            let verdict = outcome.filtered();
            outcome.determinism.insert(event.clone(), verdict);
        }
        if self.serializable {
            outcome.filtered();
        }
        for (asked, answered) in self.asked.iter().zip(answers) {
            let verdict = outcome.take(answered, &asked.places);
            match &asked.event {
                Some(event) => {
                    outcome.determinism.insert(event.clone(), verdict);
                }
                None => outcome.serializability = worse(outcome.serializability, verdict),
            }
        }
        outcome.despite_nondeterminism =
            outcome.determinism.values().any(|verdict| *verdict != Verdict::Holds { bound: None });
        if !self.is_part {
            // Else other parts may know the same race better.
            finding::one_per_race(&mut outcome.findings);
        }
        for finding in &mut outcome.findings {
            finding.property.set_despite_nondeterminism(outcome.despite_nondeterminism);
        }
        outcome
    }
}

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

/// Does the same with all items, `jobs` at a time (0: as many as there are processors). Each worker has something of its own.
pub(crate) fn in_parallel<T: Sync, W: Send, R: Send>(
    jobs: usize,
    items: &[T],
    mut worker: impl FnMut() -> W,
    work: impl Fn(&mut W, &T) -> R + Sync,
) -> Vec<R> {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = if jobs == 0 { processors() } else { jobs };
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(items.len())));
    let run = |mut own: W| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else { return };
            let result = work(&mut own, item);
            results.lock().unwrap_or_else(|e| e.into_inner()).push((index, result));
        }
    };
    std::thread::scope(|scope| {
        let run = &run;
        for _ in 0..jobs.min(items.len()) {
            let own = worker();
            // Deep programs recurse deeply.
            let builder = std::thread::Builder::new().stack_size(256 << 20);
            if builder.spawn_scoped(scope, move || run(own)).is_err() {
                run(worker());
            }
        }
    });
    let mut results = results.into_inner().unwrap_or_else(|e| e.into_inner());
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

impl Outcome {
    /// A question that the filter answers.
    fn filtered(&mut self) -> Verdict {
        self.statistics.questions += 1;
        self.statistics.filtered += 1;
        Verdict::Holds { bound: None }
    }

    /// Adds what was found out about a question.
    fn take(&mut self, answered: Answered, places: &Places) -> Verdict {
        for mut finding in answered.findings {
            places.restore(&mut finding);
            self.findings.push(finding);
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
