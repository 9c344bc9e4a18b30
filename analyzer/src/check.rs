//! The questions about a program and their answers.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::case::{Case, Origin};
use crate::finding::{self, Finding};
use crate::ir::{ProcId, Program};
use crate::limits::Deadline;
use crate::plan::{Asked, Plan, Questions};
use crate::question::{Answered, Question};
use crate::turns::{Turn, Turns};

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
    /// Time for a whole run.
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
            total: Duration::from_secs(300),
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
    /// The questions about serializability that have no answer.
    #[serde(default)]
    pub unanswered: Vec<Unanswered>,
    /// How the questions went.
    pub statistics: Statistics,
}

/// A question about serializability that has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unanswered {
    /// The events that it is about.
    pub events: Vec<String>,
    /// Why.
    pub reason: String,
}

/// Counts over the questions of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statistics {
    /// Questions asked: one per event (determinism) and one per group of events, or pair of events of a large one
    /// (serializability). Events that do the same count as one there.
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
    /// Pairs of events that were not asked about, or not as often as they should be, for lack of time or memory. Events that do the same count as one.
    #[serde(default)]
    pub unasked: u32,
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
    check_until(program, options, Deadline::after(options.total))
}

/// As [`check`], with an end that is set already.
pub fn check_until(program: &Program, options: &Options, deadline: Deadline) -> Outcome {
    let plan = Plan::new(program, options, deadline);
    let known: Mutex<HashMap<([u8; 32], Turn), Answered>> = Mutex::default();
    let left = AtomicU64::new(0);
    let answer = |case: &Case, turn: Turn| {
        let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (case.digest(), turn);
        if let Some(answered) = known().get(&key) {
            return answered.clone();
        }
        let time = turn.time(deadline, left.load(Ordering::Relaxed));
        let answered = turn.answer(case, options.timeout.min(time));
        let mut known = known();
        if known.len() < KNOWN {
            known.insert(key, answered.clone());
        }
        answered
    };
    let answer = |case: Case, turn: Turn| turn.with_earlier(|turn| answer(&case, turn));
    let (mut questions, mut tally) = (plan.questions(deadline), Tally::new(&plan));
    let turns = Turns { jobs: options.jobs, timeout: options.timeout, deadline, left: &left };
    turns.ask(
        questions.by_ref().map(|asked| ((), asked)),
        || (),
        |(): &mut (), (), asked, turn| plan.answer(asked, deadline, |case| answer(case, turn)),
        |number, _, told| tally.take(number, told),
    );
    tally.outcome(&questions)
}

/// Answers that are kept while a program is checked, for other questions with the same case.
const KNOWN: usize = 1 << 16;
/// Of events that do the same, so many are told of apart, each with its findings; the others are named.
const LISTED: usize = 256;

/// The answer to a question of a plan.
pub(crate) struct Told {
    /// The event whose determinism it is about.
    event: Option<ProcId>,
    /// The events that it is about.
    events: Vec<ProcId>,
    case: [u8; 32],
    answered: Answered,
    /// The places and names that its findings still lack.
    origin: Option<Origin>,
}

impl Told {
    /// Whether more time would have changed nothing.
    pub(crate) fn is_settled(&self) -> bool {
        self.answered.settled
    }

    /// Gives findings their places and names.
    fn restore(&mut self) {
        if let Some(origin) = self.origin.take() {
            self.answered.findings.iter_mut().for_each(|finding| origin.restore(finding));
        }
    }
}

impl Plan {
    /// The answer to a question, about all the events that it stands for; none when another part asks it.
    pub(crate) fn answer(
        &self,
        asked: &Asked,
        deadline: Deadline,
        answer: impl Fn(Case) -> Answered,
    ) -> Option<Told> {
        let told = |case, answered, origin| Told {
            event: asked.event,
            events: asked.question.events().to_vec(),
            case,
            answered,
            origin,
        };
        let ask = |question: &Question| -> Option<Told> {
            if deadline.is_over() {
                return Some(told([0; 32], Answered::late(), None));
            }
            let (case, origin) = self.cut(question)?;
            let digest = case.digest();
            Some(told(digest, answer(case), Some(origin)))
        };
        let mut told = ask(&asked.question)?;
        if !asked.others.is_empty() {
            told.restore();
        }
        let own = told.answered.findings.len();
        for class in &asked.others {
            let torn = asked.question.events().iter().find(|event| {
                let name = self.name(**event);
                class.contains(event)
                    && told.answered.findings[..own].iter().any(|f| f.property.torn() == name)
            });
            let Some(&event) = torn else { continue };
            let others = class.iter().filter(|other| **other != event).enumerate();
            let (listed, named): (Vec<_>, Vec<_>) = others.partition(|(number, _)| *number + 1 < LISTED);
            for (_, other) in listed {
                let Some(mut more) = ask(&asked.exchanged(event, *other)) else { continue };
                more.restore();
                told.answered.settled &= more.answered.settled;
                let name = self.name(*other);
                let of_it = |finding: &Finding| finding.property.torn() == name;
                told.answered.findings.extend(more.answered.findings.into_iter().filter(of_it));
            }
            let name = self.name(event);
            let first = told.answered.findings[..own].iter_mut().filter(|f| f.property.torn() == name);
            for finding in first {
                finding.alike.extend(named.iter().map(|(_, other)| self.name(**other).to_owned()));
            }
        }
        Some(told)
    }
}

/// The outcome in the making.
pub(crate) struct Tally<'p> {
    plan: &'p Plan,
    outcome: Outcome,
    /// By finding, the number of its question.
    numbers: Vec<usize>,
    /// Questions about serializability.
    together: u32,
    /// Cases whose answers are in already: equal ones took no time.
    known: HashSet<[u8; 32]>,
    /// By case, where the findings are that are the first of it, and how many questions had the same.
    alike: HashMap<[u8; 32], (Range<usize>, usize)>,
}

impl<'p> Tally<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        let mut outcome = Outcome {
            determinism: BTreeMap::new(),
            serializability: Verdict::Holds { bound: None },
            despite_nondeterminism: false,
            findings: Vec::new(),
            unanswered: Vec::new(),
            statistics: Statistics::default(),
        };
        for event in plan.deterministic() {
            let verdict = outcome.filtered();
            outcome.determinism.insert(event.to_owned(), verdict);
        }
        Tally {
            plan,
            outcome,
            numbers: Vec::new(),
            together: 0,
            known: HashSet::new(),
            alike: HashMap::new(),
        }
    }

    /// Adds the answer to the question of that number; none: another part has it.
    pub(crate) fn take(&mut self, number: usize, told: Option<Told>) {
        let Some(mut told) = told else {
            // There was one, but not here.
            self.together += 1;
            return;
        };
        if !self.known.insert(told.case) {
            told.answered.statistics.forget_times();
        }
        self.list(&mut told);
        let Told { event, events, answered, .. } = told;
        self.numbers.extend(answered.findings.iter().map(|_| number));
        match event {
            Some(event) => {
                let verdict = self.outcome.take(answered);
                self.outcome.determinism.insert(self.plan.name(event).to_owned(), verdict);
            }
            None => {
                self.together += 1;
                let verdict = self.outcome.take(answered);
                if let Verdict::Unknown { reason } = &verdict {
                    let events = events.into_iter().map(|event| self.plan.name(event).to_owned());
                    let unanswered = Unanswered { events: events.collect(), reason: reason.clone() };
                    self.outcome.unanswered.push(unanswered);
                }
                let known = &mut self.outcome.serializability;
                *known = worse(std::mem::replace(known, Verdict::Holds { bound: None }), verdict);
            }
        }
    }

    /// Lists the findings of an answer, unless there are many with the same case: then their events are named with the first.
    fn list(&mut self, told: &mut Told) {
        if told.answered.findings.is_empty() {
            return;
        }
        let begin = self.outcome.findings.len();
        let range = begin..begin + told.answered.findings.len();
        let (first, count) = self.alike.entry(told.case).or_insert((range, 0));
        *count += 1;
        if *count <= LISTED {
            return told.restore();
        }
        told.answered.findings.clear();
        for finding in &mut self.outcome.findings[first.clone()] {
            let names = told.events.iter().map(|event| self.plan.name(*event));
            let torn = finding.property.torn();
            let others: Vec<String> = names.filter(|name| *name != torn).map(str::to_owned).collect();
            finding.alike.extend(others);
        }
    }

    /// What all answers amount to, when `left` is what was not asked.
    pub(crate) fn outcome(self, left: &Questions<'_>) -> Outcome {
        let (mut outcome, plan) = (self.outcome, self.plan);
        // In the order of the questions, whichever of them took longer.
        let mut findings: Vec<_> = self.numbers.into_iter().zip(outcome.findings).collect();
        findings.sort_by_key(|(number, _)| *number);
        outcome.findings = findings.into_iter().map(|(_, finding)| finding).collect();
        if let Some(reason) = plan.invalid() {
            outcome.serializability = Verdict::Unknown { reason: reason.to_owned() };
            return outcome;
        }
        let part = plan.options().part;
        let unasked = left.left();
        if unasked > 0 {
            let reason = match left.is_late() {
                true => format!("timeout: {unasked} pairs of events were not, or not fully, asked about"),
                false => format!("memory: {unasked} pairs of events were not, or not fully, asked about"),
            };
            outcome.statistics.unasked = unasked.try_into().unwrap_or(u32::MAX);
            outcome.serializability = worse(outcome.serializability, Verdict::Unknown { reason });
        } else if self.together == 0 && part.is_none_or(|part| part.index == 1) {
            outcome.filtered();
        }
        outcome.despite_nondeterminism =
            outcome.determinism.values().any(|verdict| *verdict != Verdict::Holds { bound: None });
        if part.is_none() {
            // Else other parts may know the same race better.
            finding::one_per_race(&mut outcome.findings);
        }
        for finding in &mut outcome.findings {
            finding.property.set_despite_nondeterminism(outcome.despite_nondeterminism);
        }
        outcome
    }
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
        self.findings.extend(answered.findings);
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
