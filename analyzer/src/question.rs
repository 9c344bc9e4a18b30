//! One question about a program, from the translation to replayed findings.

mod answered;
mod attempt;
mod divided;
mod replay;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::case::Case;
use crate::check::{Statistics, Verdict};
use crate::feeders::COUNTED;
use crate::finding::{Finding, Level};
use crate::focus::Focus;
use crate::ir::calls::Calls;
use crate::ir::{ProcId, ProcKind, Program};
use crate::reach::{self, Answer, Bounds, Effort, Engine, Lit, Log, Logged, Run, Session};
use crate::semantics::Machine;
use crate::translate::{self, Precision, Start, Translated};

pub use answered::Answered;
use replay::Candidate;

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Question {
    /// Is this event deterministic?
    Determinism(ProcId),
    /// Are these events, and no others, serializable?
    Serializability(Vec<ProcId>),
    /// Is there a cycle of two instances of these events (one or two)?
    Pair {
        /// The events of the pair.
        events: Vec<ProcId>,
        /// Other events that have to come before, or may.
        before: Vec<ProcId>,
        /// How many instances a run may have beside the two.
        beside: u32,
    },
}

impl Question {
    /// The events that it is about, those that only enable them apart.
    pub fn events(&self) -> &[ProcId] {
        match self {
            Question::Determinism(event) => std::slice::from_ref(event),
            Question::Serializability(events) | Question::Pair { events, .. } => events,
        }
    }
}

/// Runs that do not replay before a question is given up.
const SPURIOUS: u32 = 100;
/// Loops and recursions are unrolled this often at first.
const UNROLL: u32 = 2;
/// Nodes of a circuit up to which it is worth while to unroll further, if there is memory for as many; and up to which circuits are
/// built side by side.
const SMALL: usize = 60_000;
/// Violations that are none, beyond those that need not matter, before no more are looked for.
const MOST_APART: u32 = 32;
/// So many times as many violations are looked for when most of them need not matter, or say the same.
const NOTES: usize = 4;
/// Handlers that happen once and let others begin, beyond which they count as others do.
const OPENERS: usize = 2;
/// Event instances beyond the bound that are looked at for a proof.
const MORE: u32 = 3;
/// What a proof may cost.
const PROOF: Effort = Effort::Steps(3_000_000);
/// Questions about more tasks than this are divided.
const LARGE: usize = 8;
/// Questions about programs with more statements are asked about a part of them first, if that is much smaller.
const LARGE_PROGRAM: usize = 2000;
/// Programs with fewer statements, those of calls counted for each call, are not asked about with fewer ways.
const MANY_WAYS: u64 = 2000;
/// Nor are programs with more procedures: to find out what each comes to takes longer than the question may.
const MOST_PROCS: usize = 1000;
/// Pairs of tasks that touch one variable, and variables, that are tried before more of them are looked at together.
const TRIED: usize = 16;
/// Nodes of a circuit for each megabyte of memory. Measured on random circuits of 50,000 to 400,000 nodes: up to 2.9 kB a node,
/// the solver's share included.
const NODES: usize = 350;
/// The first attempt at a question may take one of so many parts of the time.
const FIRST: u32 = 4;
/// Whoever asks a large question.
static ALONE: Mutex<()> = Mutex::new(());

impl Case {
    /// What a search in so much time begins with: the machine for it, and when it has begun; else the answer without one.
    fn begin(&self, timeout: Duration) -> Result<(Machine, Instant), Box<Answered>> {
        let machine =
            Machine::new(&self.program).map_err(|invalid| Box::new(Answered::unknown(invalid.message)))?;
        if timeout.is_zero() {
            return Err(Box::new(Answered::late()));
        }
        let now = Instant::now();
        Ok((machine.until(now + timeout), now))
    }

    fn is_large(&self) -> bool {
        self.program.statements().len() > LARGE_PROGRAM
    }

    fn has_many_ways(&self) -> bool {
        self.program.procs.len() <= MOST_PROCS && Calls::inlined(&self.program) >= MANY_WAYS
    }

    fn inquiry<'a>(
        &'a self,
        machine: &'a Machine,
        (engine, size): (Engine, Size),
        until: Instant,
    ) -> Inquiry<'a> {
        Inquiry {
            machine,
            program: machine.program.clone(),
            event: match self.question {
                Question::Determinism(event) => Some(event),
                _ => None,
            },
            whole: &machine.program,
            case: self,
            until,
            engine,
            size,
            gave_up: false,
            prepared: false,
            findings: Vec::new(),
            shortened: BTreeSet::new(),
            statistics: Statistics::default(),
            settled: true,
            precision: Precision::Coarse,
            patient: false,
            mode: Mode::Full,
            start: Start::After(0),
        }
    }

    /// Answers the question, in `timeout` or a little more.
    pub fn answer(&self, timeout: Duration) -> Answered {
        let (machine, now) = match self.begin(timeout) {
            Ok(begun) => begun,
            Err(answered) => return *answered,
        };
        let until = now + timeout;
        let inquiry = |engine, size, until| self.inquiry(&machine, (engine, size), until);
        let is_large = self.is_large();
        let variables = |until| inquiry(Engine::Quick, Size::Any, until).variables(&self.question);
        let few_ways =
            || inquiry(Engine::Quick, Size::Any, Instant::now() + timeout / FIRST).few_ways(&self.question);
        let between = || inquiry(Engine::Quick, Size::Any, now + timeout / 2).between(&self.question);
        let mut small = Answered::nothing();
        if is_large {
            if let Some(answered) = between() {
                return answered;
            }
            small = few_ways().and_more(variables(now + timeout / 2));
        }
        // What comes behind the first attempt has time, too.
        let first = inquiry(Engine::Quick, Size::Small, now + timeout / FIRST).answer(&self.question);
        let first = first.unwrap_or_else(Answered::late);
        if first.is_all() {
            return first;
        }
        if let (false, Verdict::Unknown { .. }) = (is_large, &first.verdict)
            && let Some(answered) = between()
        {
            return answered;
        }
        if !is_large {
            small = few_ways();
        }
        let parts = || inquiry(Engine::Quick, Size::Small, until).parts(&self.question);
        let variables = || if is_large { Answered::nothing() } else { variables(until) };
        if first.settled && first.verdict == Verdict::Violated {
            // There are others, which need not be about the same.
            return first.and_more(small).and_more(parts()).and_more(variables());
        }
        let small = small.and_more(first.found()).and_more(parts()).and_more(variables());
        let whole = inquiry(Engine::Quick, Size::Any, until).answer(&self.question).unwrap_or_else(|| {
            reach::afresh(|| inquiry(Engine::Thorough, Size::Any, until).answer(&self.question))
                .unwrap_or_else(Answered::late)
        });
        small.and_whole(whole)
    }
}

/// The goals of a run, each with no round after it: what came then would be no part of what leads there, and need not be possible.
fn last_rounds(run: &mut Run, translated: &Translated) -> Vec<Lit> {
    let begins = |log: &&Log| {
        log.frame.is_none() && matches!(log.what, Logged::Set(x, _) if x == translated.flags.entered)
    };
    let begun: Vec<Lit> = run.log.iter().filter(begins).map(|log| log.guard).collect();
    let goals = run.goals.clone().into_iter().enumerate();
    let alone =
        |(round, goal)| begun.iter().skip(round + 1).fold(goal, |all, later| run.circuit.and(all, !*later));
    goals.map(alone).collect()
}

/// A question under way.
struct Inquiry<'a> {
    machine: &'a Machine,
    program: Program,
    /// The program in question, of which the machine's may be a part.
    whole: &'a Program,
    /// For determinism.
    event: Option<ProcId>,
    case: &'a Case,
    until: Instant,
    engine: Engine,
    size: Size,
    /// The question is too hard for the engine.
    gave_up: bool,
    /// What is looked for is what others have to do something for before: without that, all that was found need not matter.
    prepared: bool,
    findings: Vec<Finding>,
    /// Fingerprints of what a shorter run was looked for: it may have another one.
    shortened: BTreeSet<String>,
    statistics: Statistics,
    settled: bool,
    /// The fine translation is used once the coarse one let a run through that cannot be scheduled.
    precision: Precision,
    /// The fine translation is too large: of the coarse one, many runs are tried.
    patient: bool,
    mode: Mode,
    /// For determinism: the state that is asked from.
    start: Start<'a>,
}

/// How large circuits may get.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    /// So that the answer is there at once.
    Small,
    /// As there is memory for.
    Any,
}

/// What is wanted from a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// A verdict, and all violations.
    Full,
    /// Violations that are found soon.
    Try,
    /// Whether there may be a violation.
    Exclude,
}

/// What the search of one sequential program came to.
enum Searched {
    /// There are findings.
    Violated,
    /// There is no violation; with `truncated`, none up to the bounds.
    Nothing { truncated: bool },
    /// Runs that cannot be scheduled got in the way.
    Spurious,
    /// The circuit would have more nodes than it may.
    TooLarge,
    /// A budget ran out.
    Unknown(String),
}

impl<'a> Inquiry<'a> {
    /// `None` when the question is too hard for the engine.
    fn answer(mut self, question: &Question) -> Option<Answered> {
        let program = self.program.clone();
        let focus = Focus::new(&program, &self.machine.types);
        let verdict = match question {
            Question::Determinism(event) => self.in_every_state(question, *event, &focus),
            _ if focus.tasks().count() <= LARGE => self.deepen(question),
            _ => self.tried_first(question, &focus),
        };
        let settled = self.settled && Instant::now() < self.until;
        let answered = Answered { verdict, findings: self.findings, statistics: self.statistics, settled };
        (!self.gave_up).then_some(answered)
    }

    /// Determinism in every state that other events can leave. It is proved where it holds whatever they did to the values that
    /// the event asks for. It is violated where a run says so that begins in the declared state: the event's, behind as few other
    /// events as it takes.
    fn in_every_state(&mut self, question: &Question, event: ProcId, focus: &Focus) -> Verdict {
        let case = self.case;
        let own = focus.started_by(event);
        if case.changed.is_empty() {
            return self.begun_in(Start::After(0), Mode::Full, question, &own, focus);
        }
        let anywhere = self.begun_in(Start::Arbitrary(&case.changed), Mode::Exclude, question, &own, focus);
        if matches!(anywhere, Verdict::Holds { .. }) {
            return anywhere;
        }
        let most = case.events.saturating_sub(1);
        for before in 0..=most {
            let verdict = self.begun_in(Start::After(before), Mode::Full, question, &own, focus);
            if !matches!(verdict, Verdict::Holds { .. }) {
                return verdict;
            }
        }
        let left_out = match case.left_out {
            0 => String::new(),
            COUNTED => format!(" ({COUNTED} others or more left out)"),
            events => format!(" ({events} others left out)"),
        };
        let bound = format!("{most} handler calls before it{left_out}, not decided from every state");
        Verdict::Holds { bound: Some(bound) }
    }

    /// Determinism from one kind of states.
    fn begun_in(
        &mut self,
        start: Start<'a>,
        mode: Mode,
        question: &Question,
        own: &BTreeSet<ProcId>,
        focus: &Focus,
    ) -> Verdict {
        (self.start, self.mode) = (start, mode);
        match own.len() {
            0..=LARGE => self.deepen(question),
            _ => self.by_variable(question, own, focus),
        }
    }

    /// Loops unrolled a little, or less if that is too large, then more, as long as that may change the answer and the budget lasts.
    fn deepen(&mut self, question: &Question) -> Verdict {
        let (instances, what) = match question {
            Question::Determinism(_) => (1, ""),
            Question::Serializability(_) => (self.case.events + self.openers(), "concurrent handler calls"),
            Question::Pair { beside, .. } => (
                self.case.events.min(2) + beside,
                "concurrent handler calls, handlers of large groups two at a time",
            ),
        };
        // Where each comes once there are no runs with more instances.
        let once = |event| matches!(self.program.proc(event).kind, ProcKind::Event { once: true, .. });
        let all = self.program.events().count() as u32;
        let complete = all <= instances && self.program.events().all(once);
        let start = self.start;
        let translate = |program: &Program, precision| match question {
            Question::Determinism(event) => translate::detseq(program, *event, start, precision),
            _ => translate::robseq(program, instances, precision),
        };
        let most = UNROLL.min(self.case.unroll);
        let mut unroll = most;
        let (mut searched, mut is_late) = (None, false);
        let small = SMALL.min(self.nodes());
        let mut nodes = small;
        // There may be memory for one that is large.
        let mut larger = match (self.mode, self.size) {
            (Mode::Full | Mode::Try, Size::Any) => Some(self.nodes()).filter(|nodes| *nodes > small),
            _ => None,
        };
        loop {
            let bounds = Bounds { nodes, until: Some(self.until), ..Bounds::unrolled(unroll) };
            match self.refine(&translate, bounds) {
                Searched::Violated => return Verdict::Violated,
                Searched::Nothing { truncated } => searched = Some((unroll, truncated)),
                // Less of it is better than nothing.
                Searched::TooLarge if searched.is_none() && unroll > 0 => {
                    unroll /= 2;
                    continue;
                }
                Searched::TooLarge if searched.is_none() && larger.is_some() => {
                    (nodes, unroll) = (self.with_more(&mut larger, nodes), most);
                    continue;
                }
                // With fewer rounds than usual, others may be in the way than with more.
                Searched::Spurious if searched.is_none() && unroll < most && larger.is_some() => {
                    (nodes, unroll) = (self.with_more(&mut larger, nodes), most);
                    continue;
                }
                Searched::TooLarge if searched.is_none() => {
                    return Verdict::Unknown { reason: format!("memory: more than {nodes} nodes") };
                }
                Searched::Spurious if searched.is_none() => {
                    return Verdict::Unknown {
                        reason: format!("{SPURIOUS} candidate schedules could not be replayed"),
                    };
                }
                Searched::Unknown(reason) if searched.is_none() => return Verdict::Unknown { reason },
                // Between what is known and what is too large there may be something.
                Searched::Spurious | Searched::TooLarge
                    if searched.is_some_and(|(known, _)| unroll / 2 > known) =>
                {
                    unroll /= 2;
                    self.refine_again();
                }
                Searched::Spurious | Searched::TooLarge => break,
                Searched::Unknown(_) => {
                    is_late = self.until <= Instant::now();
                    break;
                }
            }
            let done = self.mode == Mode::Try || !matches!(searched, Some((_, true)));
            if done || unroll >= self.case.unroll {
                break;
            }
            // Where it was too large for more, it may have as much memory as there is, once.
            match larger {
                Some(_) if unroll < most => (nodes, unroll) = (self.with_more(&mut larger, nodes), most),
                _ if unroll < most => break,
                _ => (nodes, unroll) = (small, (2 * unroll).min(self.case.unroll)),
            }
        }
        // Who asks with more room may come to an end.
        if self.size == Size::Small
            && self.nodes() > small
            && searched.is_some_and(|(to, cut)| cut && to < most)
        {
            self.settled = false;
        }
        let mut bounds = Vec::new();
        let looped = matches!(searched, Some((_, true)));
        if !what.is_empty() && !complete && (looped || !self.is_enough(question, instances)) {
            bounds.push(format!("{instances} {what}"));
        }
        if let Some((unroll, true)) = searched {
            let why = if is_late { " (timeout)" } else { "" };
            bounds.push(format!("loops unrolled {unroll} times{why}"));
        }
        Verdict::Holds { bound: (!bounds.is_empty()).then(|| bounds.join(", ")) }
    }

    /// As many nodes as there is memory for, once: the fine translation may fit into that, though it did not fit into fewer.
    fn with_more(&mut self, larger: &mut Option<usize>, nodes: usize) -> usize {
        let Some(larger) = larger.take() else { return nodes };
        self.refine_again();
        larger
    }

    /// Lets the fine translation be tried once more, if it was too large.
    fn refine_again(&mut self) {
        if std::mem::take(&mut self.patient) {
            self.precision = Precision::Fine;
        }
    }

    /// So many handlers that only let others begin take no others' place in a run. Who writes down a program says how many there may be.
    fn openers(&self) -> u32 {
        let is_written = self.program.bases.is_empty();
        if is_written { 0 } else { self.program.openers().min(OPENERS) as u32 }
    }

    /// Nodes of a circuit for which there is memory.
    fn nodes(&self) -> usize {
        self.case.memory as usize * NODES
    }

    /// Whether no number of event instances leads to more than so many do.
    fn is_enough(&mut self, question: &Question, instances: u32) -> bool {
        if self.precision == Precision::Fine || !matches!(question, Question::Serializability(_)) {
            return false;
        }
        let most = instances + MORE;
        let translated = translate::robseq(&self.program, most, Precision::Coarse);
        let Ok(types) = translated.types(&self.machine.types) else { return false };
        let nodes = SMALL.min(self.nodes());
        let bounds = Bounds { nodes, until: Some(self.until), ..Bounds::unrolled(UNROLL) };
        let mut run = reach::run(&translated.program, &types, translated.entry, translated.error, bounds);
        if run.too_large || run.truncated {
            return false;
        }
        let mut session = Session::new(self.engine, self.case.memory, Some(self.until));
        let mut is_enough = false;
        for rounds in instances as usize + 1..=most as usize {
            let Some(all_new) = run.all_new(rounds, &translated.between) else { break };
            is_enough = session.ask(&run.circuit, &[all_new], PROOF) == Answer::Unreachable;
            // With so many instances there may be a violation.
            if is_enough || session.ask(&run.circuit, &[run.goals[rounds - 1]], PROOF) != Answer::Unreachable
            {
                break;
            }
        }
        self.settled &= session.settled();
        is_enough
    }

    /// Searches the coarse translation; and the fine one, if the coarse one lets runs through that cannot be scheduled.
    fn refine(&mut self, translate: &impl Fn(&Program, Precision) -> Translated, bounds: Bounds) -> Searched {
        loop {
            if self.gave_up {
                return Searched::Unknown("too hard".into());
            }
            if translate::product(&self.program) > bounds.nodes {
                return Searched::Unknown("memory: too many locks and accesses".into());
            }
            // A translation of a large program takes a while, too.
            if self.until <= Instant::now() {
                return Searched::Unknown("timeout".into());
            }
            let started = Instant::now();
            let translated = translate(&self.program, self.precision);
            self.statistics.translate_ms += started.elapsed().as_millis() as u64;
            let started = Instant::now();
            let replayed = self.statistics.replay_ms;
            let searched = self.search(&translated, bounds);
            let replay = self.statistics.replay_ms - replayed;
            self.statistics.solve_ms += (started.elapsed().as_millis() as u64).saturating_sub(replay);
            match (searched, self.precision) {
                (Searched::Spurious, Precision::Coarse) if !self.patient => self.precision = Precision::Fine,
                // Among the runs that the coarse one lets through, others may be schedules.
                (Searched::TooLarge, Precision::Fine) => {
                    (self.precision, self.patient) = (Precision::Coarse, true);
                }
                (searched, _) => return searched,
            }
        }
    }

    /// Looks for all distinct violations of one sequential program, with as few event instances as possible.
    fn search(&mut self, translated: &Translated, bounds: Bounds) -> Searched {
        let types = match translated.types(&self.machine.types) {
            Ok(types) => types,
            Err(invalid) => return Searched::Unknown(invalid.message),
        };
        let within = |nodes| {
            let bounds = Bounds { nodes, ..bounds };
            reach::run(&translated.program, &types, translated.entry, translated.error, bounds)
        };
        // Large ones one at a time.
        let _alone = (bounds.nodes > SMALL).then(|| ALONE.lock().unwrap_or_else(PoisonError::into_inner));
        let mut run = within(bounds.nodes);
        self.statistics.choices += run.circuit.inputs() as u64;
        if run.too_large {
            return match bounds.until {
                Some(until) if until < Instant::now() => Searched::Unknown("timeout".into()),
                _ => Searched::TooLarge,
            };
        }
        let mut session = Session::new(self.engine, self.case.memory, Some(self.until));
        let mut searched = Searched::Nothing { truncated: run.truncated };
        for goal in last_rounds(&mut run, translated) {
            let noted = self.findings.len();
            let next = self.violations(translated, &mut run, goal, &mut session);
            let goes_on = matches!(next, Searched::Nothing { .. } | Searched::Violated) && !self.is_grave();
            match searched {
                // With more instances, notes say of others what is said by now.
                Searched::Violated if !self.is_grave() => self.findings.truncate(noted),
                Searched::Violated => {}
                _ => searched = next,
            }
            // What need not matter with these does not take the place of what takes an instance before it that matters.
            if !goes_on {
                break;
            }
            self.prepared = matches!(searched, Searched::Violated);
        }
        self.prepared = false;
        self.settled &= session.settled();
        searched
    }

    /// Whether something was found that is more than a note.
    fn is_grave(&self) -> bool {
        self.findings.iter().any(|finding| finding.level > Level::Note)
    }

    /// All distinct violations that reach a goal.
    fn violations(
        &mut self,
        translated: &Translated,
        run: &mut Run,
        goal: Lit,
        session: &mut Session,
    ) -> Searched {
        let (mut found, mut spurious, mut excused, mut apart) = (0_u32, 0_u32, false, 0_u32);
        loop {
            // Coarsely, one is enough to look finely, unless there is something to show already: then others are looked for.
            let most_spurious = match self.precision {
                Precision::Coarse if found == 0 && !self.patient => 1,
                _ => SPURIOUS,
            };
            let answer = session.ask(&run.circuit, &[goal], Effort::Full);
            if let (Answer::Unknown(_), Engine::Quick, false) = (&answer, self.engine, self.prepared) {
                self.gave_up |= Instant::now() < self.until;
            }
            let inputs = match answer {
                Answer::Reachable(_) if self.mode == Mode::Exclude => return Searched::Violated,
                Answer::Reachable(inputs) => inputs,
                // Others were not looked for in time.
                answer if found > 0 || excused => {
                    let unknown = matches!(answer, Answer::Unknown(_));
                    self.statistics.limited |= u32::from(unknown);
                    self.settled &= !unknown;
                    return Searched::Violated;
                }
                Answer::Unreachable => return Searched::Nothing { truncated: run.truncated },
                Answer::Unknown(reason) => return Searched::Unknown(reason),
            };
            match self.replay(translated, run, goal, inputs, session) {
                Candidate::Violation => found += 1,
                Candidate::Excused => excused = true,
                Candidate::Apart => apart += 1,
                Candidate::Spurious => spurious += 1,
            }
            let limit = self.is_enough_found();
            let late = self.until < Instant::now();
            let astray = spurious >= most_spurious;
            // Another run may have more time.
            self.settled &= !late;
            self.statistics.limited |= u32::from(limit || late || astray && found > 0);
            let limit = limit || self.prepared && apart >= MOST_APART;
            match (limit || late || astray, found) {
                (false, _) => {}
                (true, 0) if late && !excused => return Searched::Unknown("timeout".into()),
                // Finely, others may turn out to come in between.
                (true, 0) if astray && (!excused || self.precision == Precision::Coarse) => {
                    return Searched::Spurious;
                }
                (true, _) => return Searched::Violated,
            }
        }
    }

    /// Whether no more violations are looked for. Those that need not matter do not take the place of others, nor do those
    /// that say the same of other lines.
    fn is_enough_found(&self) -> bool {
        let grave = self.findings.iter().filter(|finding| finding.level > Level::Note);
        let said: BTreeSet<&str> = grave.map(|finding| &*finding.message).collect();
        said.len() >= self.case.findings || self.findings.len() >= NOTES * self.case.findings
    }
}
