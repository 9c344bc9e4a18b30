//! What a model of the sequential program says that the tasks did.

use std::collections::{HashMap, HashSet};

use crate::finding::Role;
use crate::ir::*;
use crate::reach::circuit::Values;
use crate::reach::{Log, Logged, Run};
use crate::semantics::{Access, AccessKind, Machine};
use crate::translate::Translated;

/// A run in depth-first order: tasks, each with what it did up to where it stopped.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The tasks that began, in depth-first order.
    pub tasks: Vec<TraceTask>,
    /// What they did, in depth-first order; the pivot, which happens after all else, comes last.
    pub actions: Vec<Action>,
    /// What the variables with open first values had at first.
    pub firsts: Vec<(VarId, i128)>,
}

/// A task of a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceTask {
    /// What it runs.
    pub proc: ProcId,
    /// The action that started it; `None` for an event.
    pub started_by: Option<usize>,
    /// The event instance it belongs to: the index of the event's task.
    pub instance: usize,
    /// Whether it ran to its end.
    pub ended: bool,
}

/// One thing that a task did.
#[derive(Clone, Copy, Debug)]
pub struct Action {
    /// Index into [`Trace::tasks`].
    pub task: usize,
    /// What.
    pub act: Act,
    /// Its part in the violation.
    pub role: Role,
}

/// What a task did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Began, or went on behind a suspension, taking its executor.
    Begin,
    /// Executed a statement.
    Statement {
        /// Its label.
        label: Label,
        /// Its place.
        place: Option<PlaceId>,
        /// Its access, if it is one.
        access: Option<Access>,
    },
    /// Waits, at this place and for good, for a task that does not end.
    Blocked(Option<PlaceId>),
}

/// Reads the trace off a model.
pub fn extract(machine: &Machine, translated: &Translated, run: &Run, values: &Values) -> Trace {
    let kinds = kinds(&machine.program);
    let mut reader = Reader {
        machine,
        translated,
        run,
        kinds,
        trace: Trace { firsts: run.firsts(values), ..Trace::default() },
        tasks: HashMap::new(),
        started: HashMap::new(),
        in_vain: HashSet::new(),
        joined: HashMap::new(),
        stopped: Vec::new(),
        pivot: None,
        last_access: None,
        round: Round::default(),
    };
    for log in run.log.iter().filter(|log| values.get(log.guard)) {
        reader.note(log, values);
    }
    reader.end_round();
    reader.finish()
}

/// The statements that are executed under a label, other than reads into locals (several of which share a label).
fn kinds(program: &Program) -> HashMap<Label, StmtKind> {
    let statements = program.statements().into_iter();
    statements
        .filter(|s| !matches!(s.kind, StmtKind::SetLocal(..)))
        .map(|s| (s.label, s.kind.clone()))
        .collect()
}

/// Who took part in the cycle in the current round of the driver.
#[derive(Default)]
struct Round {
    delayed: bool,
    taking_part: bool,
    entry: Option<usize>,
    exit: Option<usize>,
}

struct Reader<'a> {
    machine: &'a Machine,
    translated: &'a Translated,
    run: &'a Run,
    kinds: HashMap<Label, StmtKind>,
    trace: Trace,
    /// Frame to task.
    tasks: HashMap<usize, usize>,
    /// Deferred call to the action that deferred it.
    started: HashMap<usize, usize>,
    /// Joins without a handle: they do nothing, and suspend nobody.
    in_vain: HashSet<usize>,
    /// Join to the frame that was joined.
    joined: HashMap<usize, usize>,
    /// By task.
    stopped: Vec<bool>,
    pivot: Option<Action>,
    last_access: Option<usize>,
    round: Round,
}

impl Reader<'_> {
    fn note(&mut self, log: &Log, values: &Values) {
        let flags = self.translated.flags;
        match (log.frame, log.what) {
            (None, Logged::Set(x, value)) => {
                let value = value.is_some_and(|v| values.get(v));
                if x == flags.delayed {
                    // First assignment of a round; the second one chooses.
                    if !value {
                        self.end_round();
                    }
                    self.round.delayed = value;
                } else if x == flags.taking_part {
                    self.round.taking_part = value;
                }
            }
            (None, _) => {}
            (Some(frame), Logged::Set(x, value)) => {
                self.set(frame, log, x, value.is_some_and(|v| values.get(v)))
            }
            (Some(frame), Logged::SetNumber(x, number)) => self.set_number(frame, log, x, number),
            (Some(frame), Logged::Statement) => {
                let access = self.kinds.get(&log.label).and_then(access_of);
                self.statement(frame, log, access);
            }
            (Some(frame), Logged::Load(x)) => {
                if self.is_original(x) {
                    self.statement(frame, log, Some(Access { var: x, kind: AccessKind::Read }));
                }
            }
            (Some(frame), Logged::Joins(is_set)) => {
                self.statement(frame, log, None);
                if !values.get(is_set) {
                    self.in_vain.insert(self.trace.actions.len() - 1);
                }
            }
            (Some(frame), Logged::Deferred(entry)) => {
                self.statement(frame, log, None);
                self.started.insert(entry, self.trace.actions.len() - 1);
            }
            (Some(_), Logged::Forced(child)) => {
                self.joined.insert(self.trace.actions.len() - 1, child);
            }
        }
    }

    fn is_original(&self, x: VarId) -> bool {
        x.index() < self.machine.program.vars.len()
    }

    fn set(&mut self, frame: usize, log: &Log, x: VarId, value: bool) {
        let flags = self.translated.flags;
        if self.is_original(x) {
            return self.statement(frame, log, Some(Access { var: x, kind: AccessKind::Write }));
        }
        if x == flags.skip {
            match (value, self.tasks.get(&frame)) {
                (false, None) => self.begin(frame),
                (true, Some(&task)) => self.stopped[task] = true,
                _ => {}
            }
        } else if x == flags.root {
            self.mark(self.last_access, Role::Root);
        } else if x == flags.entered && self.round.entry.is_none() {
            self.round.entry = self.last_access;
        }
    }

    fn set_number(&mut self, frame: usize, log: &Log, x: VarId, number: Option<i128>) {
        let flags = self.translated.flags;
        if self.is_original(x) {
            self.statement(frame, log, Some(Access { var: x, kind: AccessKind::Write }));
        } else if x == flags.pivot {
            let access = number.and_then(|n| self.translated.accesses.list.get(n as usize - 1).copied());
            let act = Act::Statement { label: log.label, place: log.place, access };
            self.pivot = self.tasks.get(&frame).map(|&task| Action { task, act, role: Role::Pivot });
        } else if x == flags.exit || x == flags.temp_exit {
            self.round.exit = self.last_access;
        }
    }

    fn begin(&mut self, frame: usize) {
        let info = self.run.frames[frame];
        let started_by = self.run.entries[info.entry].parent.and(self.started.get(&info.entry).copied());
        let task = self.trace.tasks.len();
        let instance = started_by.map_or(task, |a| self.trace.tasks[self.trace.actions[a].task].instance);
        self.trace.tasks.push(TraceTask { proc: info.proc, started_by, instance, ended: false });
        self.tasks.insert(frame, task);
        self.stopped.push(false);
        if started_by.is_none() || self.machine.runs_on(info.proc) != Where::Any {
            self.trace.actions.push(Action { task, act: Act::Begin, role: Role::Step });
        }
    }

    fn statement(&mut self, frame: usize, log: &Log, access: Option<Access>) {
        let Some(&task) = self.tasks.get(&frame) else { return };
        self.go_on(task);
        let act = Act::Statement { label: log.label, place: log.place, access };
        self.trace.actions.push(Action { task, act, role: Role::Step });
        if access.is_some() {
            self.last_access = Some(self.trace.actions.len() - 1);
        }
    }

    /// Behind a suspension a task takes its executor again before anything else.
    fn go_on(&mut self, task: usize) {
        let Where::On(e) = self.machine.runs_on(self.trace.tasks[task].proc) else { return };
        let Some(last) = self.trace.actions.iter().rposition(|a| a.task == task) else { return };
        let Act::Statement { label, .. } = self.trace.actions[last].act else { return };
        let suspends = !self.in_vain.contains(&last)
            && matches!(self.kinds.get(&label), Some(StmtKind::Yield | StmtKind::Await(_)));
        if suspends && !self.machine.program.executors[e.index()].exclusive {
            self.trace.actions.push(Action { task, act: Act::Begin, role: Role::Step });
        }
    }

    fn mark(&mut self, action: Option<usize>, role: Role) {
        if let Some(action) = action.and_then(|a| self.trace.actions.get_mut(a)) {
            action.role = match (action.role, role) {
                (Role::Entry, Role::Exit) | (Role::Exit, Role::Entry) => Role::EntryExit,
                _ => role,
            };
        }
    }

    fn end_round(&mut self) {
        let round = std::mem::take(&mut self.round);
        if round.delayed {
            self.mark(round.exit, Role::Exit);
        } else if round.taking_part {
            self.mark(round.entry, Role::Entry);
            self.mark(round.exit, Role::Exit);
        }
    }

    fn finish(mut self) -> Trace {
        // A parent whose joined child did not end has stopped as well.
        for task in (0..self.trace.tasks.len()).rev() {
            let waits = self.waits_in_vain(task);
            self.trace.tasks[task].ended = !self.stopped[task] && !waits;
        }
        for task in 0..self.trace.tasks.len() {
            if self.trace.tasks[task].ended {
                self.go_on(task);
            }
        }
        if let Some(pivot) = self.pivot {
            self.go_on(pivot.task);
            self.trace.actions.push(pivot);
        }
        self.trace
    }

    /// Whether the last thing a task did is to wait for a task that did not end.
    fn waits_in_vain(&mut self, task: usize) -> bool {
        let Some(last) = self.trace.actions.iter().rposition(|a| a.task == task) else { return false };
        let Some(frame) = self.joined.get(&last) else { return false };
        // A joined task that did not even begin has no task here.
        let ended = self.tasks.get(frame).is_some_and(|&child| self.trace.tasks[child].ended);
        !ended && self.block(last)
    }

    /// The join does not return. One that gave the executor back has done something all the same.
    fn block(&mut self, action: usize) -> bool {
        let Action { task, act: Act::Statement { label, place, .. }, .. } = self.trace.actions[action] else {
            return false;
        };
        let gave_back = matches!(self.kinds.get(&label), Some(StmtKind::Await(_)))
            && match self.machine.runs_on(self.trace.tasks[task].proc) {
                Where::On(e) => !self.machine.program.executors[e.index()].exclusive,
                Where::Any => false,
            };
        if !gave_back {
            self.trace.actions[action].act = Act::Blocked(place);
        }
        true
    }
}

/// The access of a statement that is one by itself.
fn access_of(kind: &StmtKind) -> Option<Access> {
    let (var, kind) = match *kind {
        StmtKind::Read(x) => (x, AccessKind::Read),
        StmtKind::Write(x) | StmtKind::SetVar(x, _) => (x, AccessKind::Write),
        StmtKind::Update(x, c) => (x, AccessKind::Update(c)),
        _ => return None,
    };
    Some(Access { var, kind })
}
