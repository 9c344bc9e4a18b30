//! The analysis as salsa queries. Whoever keeps a [`Database`] asks again only for what a change touches:
//!
//! [`Input`] (crates, or a program) → [`lowered`] → [`plan`] → `answer`, one for each question.
//!
//! The lowering is one query, since points-to looks at the program as a whole; where it gives the same program, nothing
//! after it runs. The plan cuts questions loose from the program ([`crate::case`]), one at a time: those that are equal to earlier
//! ones keep their answers, whatever else has changed. [`outcomes`] is no query, but an ordinary function: it asks in parallel. A case
//! is kept only while it is asked about; the database knows it by its digest.

// The macros make public items that nothing can be written above.
#![allow(missing_docs)]

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use robust_models::{Library, Models};

use crate::case::Case;
use crate::check::{Options, Outcome, Tally};
use crate::finding::{Finding, Level};
use crate::ir::Program;
use crate::limits::{Deadline, Limits};
use crate::lower::{self, Lowered, Scope, Told};
use crate::mir::Crate;
use crate::plan::{Asked, Plan, Questions};
use crate::pool::in_parallel;
use crate::question::Answered;
use crate::turns::{Turn, Turns};

/// What is analysed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Crates that run together, and what the user says about them.
    Crates {
        /// The crates.
        crates: Vec<Arc<Crate>>,
        /// Which executions of them are meant.
        scope: Scope,
        /// What the user says of libraries; it comes after what we know.
        models: Arc<Vec<Library>>,
        /// The user's word on events.
        told: Arc<Told>,
    },
    /// A program.
    Program(Arc<Program>),
}

/// What is asked: set anew when it changes.
#[salsa::input]
pub struct Input {
    /// What is analysed.
    #[returns(ref)]
    pub source: Source,
    /// What bounds the search.
    #[returns(ref)]
    pub options: Options,
}

/// A question, by the digest of its case, and when it is asked.
#[salsa::interned]
struct Question<'db> {
    case: [u8; 32],
    turn: Turn,
}

/// Remembers answers from run to run. What it gives back must be what it was given.
pub trait Memory: Send + Sync {
    /// The answer under a key.
    fn recall(&self, key: &str) -> Option<Answered>;
    /// Keeps an answer under a key.
    fn keep(&self, key: &str, answered: &Answered);
}

/// What the queries need.
#[salsa::db]
pub trait Db: salsa::Database {
    /// Answers of earlier runs.
    fn memory(&self) -> Option<&dyn Memory>;
    /// When the run has to be over.
    fn deadline(&self) -> Deadline;
    /// How many questions are left in the last turn.
    fn left(&self) -> u64;
    /// A case that is asked about, by its digest.
    fn case(&self, digest: &[u8; 32]) -> Option<Arc<Case>>;
}

/// The program that the input amounts to; none where it is one already.
#[salsa::tracked(returns(ref))]
pub fn lowered(db: &dyn Db, input: Input) -> Option<Lowered> {
    match input.source(db) {
        Source::Crates { crates, scope, models, told } => {
            let mut all = Models::built_in();
            models.iter().for_each(|library| all.push(library.clone()));
            let deadline = db.deadline();
            let limits = Limits::of_memory(input.options(db).memory).until(deadline);
            let lowered = lower::lower_told(crates, &all, told, *scope, limits);
            if lowered.late {
                // With more time it would be another one.
                db.report_untracked_read();
            }
            Some(lowered)
        }
        Source::Program(_) => None,
    }
}

/// The questions about the input.
#[salsa::tracked(returns(ref))]
pub fn plan(db: &dyn Db, input: Input) -> Plan {
    let (options, deadline) = (input.options(db), db.deadline());
    let plan = match (lowered(db, input), input.source(db)) {
        (Some(lowered), _) => Plan::new(&lowered.program, options, deadline),
        (None, Source::Program(program)) => Plan::new(program, options, deadline),
        (None, Source::Crates { .. }) => Plan::nothing(),
    };
    if plan.is_cut() {
        // With more time it would be another one.
        db.report_untracked_read();
    }
    plan
}

/// The answer to a question. One that lacked time is asked again in the next run, but not while the database lives, unless others
/// had taken that time.
#[salsa::tracked(returns(ref))]
fn answer<'db>(db: &'db dyn Db, question: Question<'db>, input: Input) -> Answered {
    let Some(case) = db.case(question.case(db)) else { return Answered::late() };
    let timeout = input.options(db).timeout;
    let key = format!("{}-{}", case.key(), timeout.as_millis());
    if let Some(answered) = db.memory().and_then(|memory| memory.recall(&key)) {
        return answered;
    }
    let share = question.turn(db).time(db.deadline(), db.left());
    let mut answered = question.turn(db).answer(&case, timeout.min(share));
    if !answered.settled && share < timeout {
        db.report_untracked_read();
    }
    if let Some(memory) = db.memory().filter(|_| answered.settled) {
        let times = answered.statistics;
        answered.statistics.forget_times();
        memory.keep(&key, &answered);
        answered.statistics = times;
    }
    answered
}

/// Lowers inputs and plans what to ask of them, several at once: [`lowered`] then has them.
pub fn lower_all(db: &Database, inputs: &[Input], jobs: usize) {
    let lower = |db: &mut Database, input: &Input| {
        plan(db, *input);
    };
    in_parallel(jobs, inputs.iter(), || db.clone(), lower, ControlFlow::Continue);
}

/// The answers to all questions about each of the inputs. Questions are worked on side by side, whichever input they are about,
/// so many at a time, while there is time: see [`Database::begin`].
pub fn outcomes(db: &Database, inputs: &[Input], jobs: usize) -> Vec<Outcome> {
    lower_all(db, inputs, jobs);
    let deadline = db.deadline();
    let plans: Vec<(Input, &Plan)> = inputs.iter().map(|&input| (input, plan(db, input))).collect();
    let mut queue: Vec<(usize, Questions<'_>)> =
        plans.iter().map(|(_, plan)| plan.questions(deadline)).enumerate().collect();
    let most = queue.iter().map(|(_, questions)| questions.most()).sum();
    db.progress.most.store(most, Ordering::Relaxed);
    db.progress.done.store(0, Ordering::Relaxed);
    let mut tallies: Vec<Tally<'_>> = plans.iter().map(|(_, plan)| Tally::new(plan)).collect();
    let all = queue.iter_mut().flat_map(|(of, questions)| questions.map(|asked| (*of, asked)));
    let work = |db: &mut Database, of: usize, asked: &Asked, turn: Turn| {
        let (input, plan) = plans[of];
        plan.answer(asked, deadline, |case| db.ask(case, input, turn))
    };
    let take = |number, of: usize, told| {
        db.progress.done.fetch_add(1, Ordering::Relaxed);
        tallies[of].take(number, told);
    };
    let timeouts = plans.iter().map(|(_, plan)| plan.options().timeout);
    let timeout = timeouts.max().unwrap_or_default();
    let turns = Turns { jobs, timeout, deadline, left: &db.progress.left };
    turns.ask(all, || db.clone(), work, take);
    let mut outcomes: Vec<Outcome> =
        tallies.into_iter().zip(&queue).map(|(tally, (_, left))| tally.outcome(left)).collect();
    for (outcome, (input, _)) in outcomes.iter_mut().zip(&plans) {
        if lowered(db, *input).as_ref().is_some_and(|lowered| lowered.coarse) {
            outcome.findings.iter_mut().for_each(be_coarse);
        }
    }
    outcomes
}

/// Where little was told apart, two objects may have been taken for one: that is no reason to deny anything.
fn be_coarse(finding: &mut Finding) {
    if finding.level > Level::Note {
        finding.level = Level::Note;
        finding.excuse = "objects are not told apart: there are too many pointers".into();
    }
}

/// Cases that are asked about, by digest, each with how many ask.
type Asking = HashMap<[u8; 32], (Arc<Case>, usize)>;

/// Where answers are kept.
#[salsa::db]
#[derive(Clone, Default)]
pub struct Database {
    storage: salsa::Storage<Self>,
    memory: Option<Arc<dyn Memory>>,
    /// When no question is begun any more.
    until: Arc<Mutex<Deadline>>,
    asking: Arc<Mutex<Asking>>,
    progress: Arc<Progress>,
}

/// How far the questions are, for who watches.
#[derive(Debug, Default)]
pub struct Progress {
    most: AtomicU64,
    done: AtomicU64,
    /// Those of the last turn.
    left: AtomicU64,
}

impl Progress {
    /// How many questions have an answer, and how many there are at most.
    pub fn get(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.most.load(Ordering::Relaxed))
    }
}

impl Database {
    /// A database that also remembers from run to run.
    pub fn with_memory(memory: Arc<dyn Memory>) -> Database {
        Database { memory: Some(memory), ..Database::default() }
    }

    /// How far the questions are.
    pub fn progress(&self) -> Arc<Progress> {
        Arc::clone(&self.progress)
    }

    /// A run begins that has to be over by then: lowering, and all questions together.
    pub fn begin(&self, deadline: Deadline) {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = deadline;
    }

    fn asking(&self) -> MutexGuard<'_, Asking> {
        self.asking.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The answer to a question of an input, in its last turn with what the first one found.
    fn ask(&self, case: Case, input: Input, turn: Turn) -> Answered {
        let digest = case.digest();
        self.asking().entry(digest).or_insert_with(|| (Arc::new(case), 0)).1 += 1;
        let in_turn = |turn| answer(self, Question::new(self, digest, turn), input).clone();
        let answered = turn.with_earlier(in_turn);
        let mut asking = self.asking();
        if let Some((_, count)) = asking.get_mut(&digest) {
            *count -= 1;
            if *count == 0 {
                asking.remove(&digest);
            }
        }
        answered
    }

    /// Remembers somewhere else from now on.
    pub fn set_memory(&mut self, memory: Arc<dyn Memory>) {
        self.memory = Some(memory);
    }
}

#[salsa::db]
impl salsa::Database for Database {}

#[salsa::db]
impl Db for Database {
    fn memory(&self) -> Option<&dyn Memory> {
        self.memory.as_deref()
    }

    fn deadline(&self) -> Deadline {
        *self.until.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn left(&self) -> u64 {
        self.progress.left.load(Ordering::Relaxed)
    }

    fn case(&self, digest: &[u8; 32]) -> Option<Arc<Case>> {
        self.asking().get(digest).map(|(case, _)| Arc::clone(case))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::sync::Mutex;

    use salsa::Setter;

    use super::*;
    use crate::check::Verdict;
    use crate::ir::text;

    fn parse(source: &str) -> Source {
        Source::Program(Arc::new(text::parse(source, "test").unwrap()))
    }

    fn outcome(db: &Database, input: Input) -> Outcome {
        outcomes(db, &[input], 0).remove(0)
    }

    const BUGGY: &str = "var x; event e on any { read x; write x; }";
    const FIXED: &str = "lock l; var x; event e on any { acquire l; read x; write x; release l; }";

    #[test]
    fn answers_follow_the_program() {
        let mut db = Database::default();
        let input = Input::new(&db, parse(BUGGY), Options::default());
        assert_eq!(outcome(&db, input).serializability, Verdict::Violated);
        input.set_source(&mut db).to(parse(FIXED));
        assert!(matches!(outcome(&db, input).serializability, Verdict::Holds { .. }));
    }

    #[derive(Default)]
    struct Notes {
        kept: Mutex<HashMap<String, Answered>>,
        recalled: Mutex<u32>,
    }

    impl Memory for Notes {
        fn recall(&self, key: &str) -> Option<Answered> {
            let known = self.kept.lock().unwrap().get(key).cloned();
            *self.recalled.lock().unwrap() += u32::from(known.is_some());
            known
        }

        fn keep(&self, key: &str, answered: &Answered) {
            self.kept.lock().unwrap().insert(key.into(), answered.clone());
        }
    }

    #[test]
    fn an_edit_asks_again_what_it_touches_and_nothing_else() {
        let notes = Arc::new(Notes::default());
        let two = |second: &str| {
            format!("var x; var y; event e on any {{ read x; write x; }} event f on any {{ {second} }}")
        };
        let mut db = Database::with_memory(notes.clone());
        let input = Input::new(&db, parse(&two("read y; write y;")), Options::default());
        let first = outcome(&db, input);
        assert_eq!((notes.kept.lock().unwrap().len(), first.findings.len()), (1, 2), "two like questions");
        input.set_source(&mut db).to(parse(&format!("\n\n{}", two("write y; read y;"))));
        let second = outcome(&db, input);
        assert_eq!(notes.kept.lock().unwrap().len(), 2, "only `f` was asked again");
        assert_eq!(*notes.recalled.lock().unwrap(), 0, "within a database nothing is looked up twice");
        let line = |outcome: &Outcome| {
            outcome.findings.iter().map(|f| f.steps[0].place.as_ref().unwrap().line).min()
        };
        assert_eq!(line(&second), line(&first).map(|line| line + 2), "places move along");

        let anew = Database::with_memory(notes.clone());
        let input = Input::new(&anew, input.source(&db).clone(), Options::default());
        assert_eq!(outcome(&anew, input).findings, second.findings);
        assert_eq!((notes.kept.lock().unwrap().len(), *notes.recalled.lock().unwrap()), (2, 2));
    }
}
