//! Large questions, asked in parts: of each event with itself, of pairs, of one variable, of few tasks.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Instant;

use super::{Answered, Inquiry, LARGE, Mode, Question, TRIED};
use crate::check::{Statistics, Verdict, worse};
use crate::feeders::Feeders;
use crate::focus::{Focus, Joined};
use crate::ir::calls::Calls;
use crate::ir::passes::{bypass, simplify};
use crate::ir::{ProcId, ProcKind, Program, VarId};
use crate::limits::{Deadline, Limits};
use crate::translate::Start;

/// A program is much smaller than another one that has so many times as many statements.
const MUCH_SMALLER: usize = 2;
/// Fewer ways are few where so many times fewer statements are on them.
const FEWER: u64 = 4;

impl Inquiry<'_> {
    /// A violation of determinism is about one variable, so each is looked at alone.
    pub(super) fn by_variable(
        &mut self,
        question: &Question,
        own: &BTreeSet<ProcId>,
        focus: &Focus,
    ) -> Verdict {
        let mode = self.mode;
        // What comes before the event is kept whole.
        let others: Vec<ProcId> = focus.tasks().filter(|task| !own.contains(task)).collect();
        let mut all = Verdict::Holds { bound: None };
        for x in focus.variables(own) {
            if self.findings.len() >= self.case.findings {
                break;
            }
            let tasks: Vec<ProcId> = focus.touching(x).into_iter().filter(|t| own.contains(t)).collect();
            let on = |tasks: &[ProcId], joined| focus.on(&[tasks, &others].concat(), x, joined);
            let pairs = match (tasks.len() > LARGE, mode) {
                (true, Mode::Full) => spread_pairs(&tasks),
                _ => Vec::new(),
            };
            let mut verdict = Verdict::Holds { bound: None };
            for pair in pairs {
                let program = on(&pair, Joined::Kept);
                verdict = worse(verdict, self.within(program, Mode::Try, question));
            }
            if verdict != Verdict::Violated {
                verdict = self.within(on(&tasks, Joined::Dropped), Mode::Exclude, question);
                if !matches!(verdict, Verdict::Holds { .. }) {
                    verdict = self.within(on(&tasks, Joined::Kept), mode, question);
                }
            } else {
                self.statistics.limited = 1;
            }
            all = worse(all, verdict);
            if mode == Mode::Exclude && !matches!(all, Verdict::Holds { .. }) {
                break;
            }
        }
        all
    }

    fn deadline(&self) -> Deadline {
        Deadline::after(self.until.saturating_duration_since(Instant::now()))
    }

    /// The violations of parts of the question that are much smaller than the whole: an event with itself, pairs of events. All
    /// of them together take half of the time that is left. Each is a question of its own, so what is found in one does not take the
    /// place of what would be found in another.
    pub(super) fn parts(self, question: &Question) -> Answered {
        let until = self.until;
        let limits = Limits::of_memory(self.case.memory).until(self.deadline());
        let feeders = Feeders::new(&self.program, &mut limits.allow(1));
        let pairs = match question {
            Question::Serializability(events) => itself_and_pairs(events),
            _ => Vec::new(),
        };
        let mut left = pairs.len() as u32;
        let mut all = Answered::nothing();
        for pair in pairs {
            let now = Instant::now();
            if until <= now {
                all.settled = false;
                break;
            }
            let one = Inquiry {
                until: now + (until - now) / (2 * left),
                findings: Vec::new(),
                shortened: BTreeSet::new(),
                statistics: Statistics::default(),
                program: only(&self.program, &with_feeders(&pair, &feeders)),
                mode: Mode::Try,
                ..self
            };
            left -= 1;
            all = all.and_more(one.found_soon(question));
        }
        all
    }

    /// Violations that are about one variable each, in programs with what is done to that one and nothing else: of large questions
    /// they are found where the whole is too large. All of them together take half of the time that is left.
    pub(super) fn variables(self, question: &Question) -> Answered {
        let focus = Focus::new(&self.program, &self.machine.types);
        let about = about(question, &focus);
        match about.len() {
            0 | 1 => Answered::nothing(),
            _ => self.found_in(question, &about, |x| Some(self.tidied(focus.of(&BTreeSet::from([*x]))))),
        }
    }

    /// Violations in programs with fewer ways to what they do: those about one variable each, then any.
    pub(super) fn few_ways(self, question: &Question) -> Answered {
        if !self.case.has_many_ways() {
            return Answered::nothing();
        }
        let focus = Focus::new(&self.program, &self.machine.types);
        let about = about(question, &focus);
        if about.is_empty() {
            return Answered::nothing();
        }
        let parts: Vec<Option<VarId>> = about.into_iter().map(Some).chain([None]).collect();
        self.found_in(question, &parts, |about| {
            let whole = || self.program.clone();
            let mut program = self.tidied(about.map_or_else(whole, |x| focus.of(&BTreeSet::from([x]))));
            let size = Calls::inlined(&program);
            if !bypass::bypass(&mut program) {
                return None;
            }
            let program = self.tidied(program);
            (Calls::inlined(&program) * FEWER <= size).then_some(program)
        })
    }

    fn tidied(&self, mut program: Program) -> Program {
        simplify::tidy(&mut program, self.deadline());
        program
    }

    /// The violations in smaller programs, one for each of these parts of the question, if there is one. All of them together take half of the
    /// time that is left.
    fn found_in<P>(
        &self,
        question: &Question,
        parts: &[P],
        program: impl Fn(&P) -> Option<Program>,
    ) -> Answered {
        let (begun, until) = (Instant::now(), self.until);
        let mut all = Answered::nothing();
        for (number, part) in parts.iter().enumerate() {
            let now = Instant::now();
            let shared = until.saturating_duration_since(begun) / 2;
            let rest = (begun + shared).saturating_duration_since(now);
            if rest.is_zero() {
                all.settled = false;
                break;
            }
            let Some(program) = program(part) else { continue };
            let Ok(machine) = self.machine.beside(&program) else { continue };
            let left = (parts.len() - number).min(4) as u32;
            let one = Inquiry {
                machine: &machine,
                program,
                until: now + rest / left,
                mode: Mode::Try,
                findings: Vec::new(),
                shortened: BTreeSet::new(),
                statistics: Statistics::default(),
                start: Start::After(0),
                ..*self
            };
            all = all.and_more(one.found_soon(question));
        }
        all
    }

    /// The answer to a question about a large program, if it is in the much smaller one with what its events are about: a cycle goes by
    /// conflicts between their instances. Of a pair of events that is what either can do to the other; two instances of one are asked about
    /// apart.
    pub(super) fn between(self, question: &Question) -> Option<Answered> {
        let focus = Focus::new(&self.program, &self.machine.types);
        let about = match question {
            Question::Pair { events, .. } => {
                let (one, other) = (focus.started_by(*events.first()?), focus.started_by(*events.last()?));
                focus.between(&one, &other)
            }
            Question::Serializability(_) => focus.variables(&focus.tasks().collect()).into_iter().collect(),
            Question::Determinism(_) => return None,
        };
        let mut program = focus.of(&about);
        simplify::tidy(&mut program, self.deadline());
        if program.statements().len() * MUCH_SMALLER > self.program.statements().len() {
            return None;
        }
        let machine = self.machine.beside(&program).ok()?;
        let one = Inquiry { machine: &machine, program, ..self };
        one.answer(question).filter(|answered| !matches!(answered.verdict, Verdict::Unknown { .. }))
    }

    /// What is found in a part of the question: if nothing is, that says nothing of the whole.
    fn found_soon(mut self, question: &Question) -> Answered {
        self.deepen(question);
        let verdict = match self.findings.is_empty() {
            true => Verdict::Holds { bound: None },
            false => Verdict::Violated,
        };
        let settled = Instant::now() < self.until;
        Answered { verdict, findings: self.findings, statistics: self.statistics, settled }
    }

    /// Cycles through few tasks that touch the same variable, before all are looked at together.
    pub(super) fn tried_first(&mut self, question: &Question, focus: &Focus) -> Verdict {
        let all: BTreeSet<ProcId> = focus.tasks().collect();
        for x in focus.variables(&all).into_iter().take(TRIED) {
            let tasks = focus.touching(x);
            let few = if tasks.len() > 4 { [&tasks[..2], &tasks[tasks.len() - 2..]].concat() } else { tasks };
            let program = focus.on(&few, x, Joined::Kept);
            self.within(program, Mode::Try, question);
            if self.is_enough_found() {
                break;
            }
        }
        if self.findings.is_empty() {
            return self.deepen(question);
        }
        self.statistics.limited = 1;
        Verdict::Violated
    }

    /// Answers the question for a smaller program.
    fn within(&mut self, program: Program, mode: Mode, question: &Question) -> Verdict {
        let whole = std::mem::replace(&mut self.program, program);
        let before = (std::mem::replace(&mut self.mode, mode), self.precision);
        let verdict = self.deepen(question);
        self.program = whole;
        (self.mode, self.precision) = before;
        verdict
    }
}

/// Some of the variables that a question is about, first what more of its events have to do with; none where it is about one event alone.
fn about(question: &Question, focus: &Focus) -> Vec<VarId> {
    if matches!(question, Question::Determinism(_)) {
        return Vec::new();
    }
    let mut variables = focus.variables(&focus.tasks().collect());
    let events: Vec<BTreeSet<ProcId>> =
        question.events().iter().map(|event| focus.started_by(*event)).collect();
    variables.sort_by_key(|x| {
        let touching: BTreeSet<ProcId> = focus.touching(*x).into_iter().collect();
        Reverse(events.iter().filter(|event| !event.is_disjoint(&touching)).count())
    });
    variables.truncate(TRIED);
    variables
}

/// Each event alone, then all pairs.
fn itself_and_pairs(events: &[ProcId]) -> Vec<Vec<ProcId>> {
    let alone = events.iter().filter(|_| events.len() > 1).map(|&event| vec![event]);
    let pairs =
        events.iter().enumerate().flat_map(|(i, &a)| events[i + 1..].iter().map(move |&b| vec![a, b]));
    alone.chain(pairs.filter(|_| events.len() > 2)).collect()
}

/// These events, and what enables them.
fn with_feeders(events: &[ProcId], feeders: &Feeders) -> BTreeSet<ProcId> {
    let before = events.iter().flat_map(|&event| feeders.before(event).events);
    events.iter().copied().chain(before).collect()
}

/// The program without other events.
fn only(program: &Program, kept: &BTreeSet<ProcId>) -> Program {
    let mut program = program.clone();
    let others: Vec<ProcId> = program.events().filter(|event| !kept.contains(event)).collect();
    for event in others {
        let event = &mut program.procs[event.index()];
        event.kind = ProcKind::Proc;
        event.body.clear();
    }
    program
}

/// Pairs of tasks from all over the list.
fn spread_pairs(tasks: &[ProcId]) -> Vec<Vec<ProcId>> {
    let step = tasks.len().div_ceil(TRIED).max(1);
    tasks
        .iter()
        .step_by(step)
        .zip(tasks.iter().cycle().skip(1).step_by(step))
        .map(|(&a, &b)| vec![a, b])
        .collect()
}
