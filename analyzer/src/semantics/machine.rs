//! Single steps of the multi-thread semantics.

mod eval;
mod local;

use std::collections::HashSet;

use super::{Access, Code, Op};
use crate::ir::*;
use eval::hint;
pub(crate) use eval::store;

/// A task in a run: index into [`State::tasks`], in order of creation.
pub type TaskId = usize;

/// A value at run time: a Boolean (0, 1), an integer, or a handle (0 for none, else the task's number plus one).
type Cell = i128;

/// A program made ready to run.
///
/// A choice between few values is one between all of them. Where there are many, as for an integer `*`, some are tried: see
/// [`Machine::is_sampled`].
#[derive(Clone)]
pub struct Machine {
    /// The program, flattened.
    pub program: Program,
    /// Its types.
    pub types: Types,
    code: Vec<Code>,
    /// The integers that are tried where any can be chosen, in ascending order; at least one.
    tried: Vec<Cell>,
    is_sampled: bool,
    /// When to stop looking for what comes next, with what was found until then.
    until: Option<std::time::Instant>,
}

/// Of ranges with more integers than this, only some are tried.
const RANGE: Cell = 16;
/// Integers that far from the program's landmarks are tried.
const NEAR: Cell = 1;

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Started, but it has not begun: its executor is busy.
    Posted,
    /// At its next visible operation.
    Ready,
    /// Gave its executor back (`yield`, or `await` of the task): goes on when it has it again and the task ended.
    Suspended(Option<TaskId>),
    /// An assumption failed, or it loops for ever without doing anything that can be seen: it never moves again and keeps
    /// what it holds.
    Stuck,
    /// Ran to its end.
    Ended,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Frame {
    proc: u32,
    at: u32,
    locals: Vec<Cell>,
}

/// One task in a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Task {
    /// What it runs.
    pub proc: ProcId,
    /// Who started it; `None` for an event.
    pub parent: Option<TaskId>,
    /// The event instance it belongs to, from 0.
    pub instance: u32,
    /// Its number among the tasks its parent started.
    pub sequence: u32,
    /// How many tasks it started.
    pub started: u32,
    /// How many joins it completed: the number of its current block.
    pub joins: u32,
    /// The block of the parent behind which it was joined.
    pub joined: Option<u32>,
    /// Where it stands.
    pub status: Status,
    frames: Vec<Frame>,
}

impl Task {
    /// How many calls are under way, its own body included.
    pub fn calls(&self) -> usize {
        self.frames.len()
    }
}

/// A state of the multi-thread semantics.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    pub(super) vars: Vec<Cell>,
    /// Holders by lock; several only when all hold it shared.
    pub(super) locks: Vec<Vec<(TaskId, Mode)>>,
    executors: Vec<Option<TaskId>>,
    /// All tasks of the run.
    pub tasks: Vec<Task>,
    /// How many instances of each procedure were started as events.
    pub instances: Vec<u32>,
}

impl State {
    /// Whether all tasks ran to their end.
    pub fn is_quiet(&self) -> bool {
        self.tasks.iter().all(|task| task.status == Status::Ended)
    }

    /// What is in a variable: a truth value as 0 or 1, or an integer.
    pub(crate) fn cell(&self, var: VarId) -> i128 {
        self.vars[var.index()]
    }

    /// Whether an assumption failed on the way here: there is no such run.
    pub fn is_void(&self) -> bool {
        self.tasks.iter().any(|task| task.status == Status::Stuck)
    }

    /// The state without the tasks that ended, as long as none of them keeps a lock. For quiet states.
    pub fn without_past(mut self) -> State {
        if self.locks.iter().all(Vec::is_empty) {
            self.tasks.clear();
        }
        self
    }
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Event {
    /// A task began, or took its executor again.
    Begin,
    /// A statement was executed: its label, and its access if it is one.
    Statement(Label, Option<Access>),
}

/// A possible step: who, what, and the state behind it.
#[derive(Clone, Debug)]
pub struct Step {
    /// The task that moves.
    pub task: TaskId,
    /// What it does.
    pub event: Event,
    /// The state behind.
    pub state: State,
}

impl Machine {
    /// Makes a valid program ready to run.
    ///
    /// # Errors
    /// What [`validate`] says.
    pub fn new(program: &Program) -> Result<Machine, Invalid> {
        let program = flatten(program);
        let types = validate(&program)?;
        let code = program.procs.iter().map(Code::new).collect();
        let tried = near(&types.landmarks, types.any_int);
        let mut machine = Machine { program, types, code, tried, is_sampled: false, until: None };
        machine.is_sampled = machine.chooses_integers();
        Ok(machine)
    }

    /// Whether there are choices between so many integers that only some of them are tried: whatever happens is a possible run,
    /// but not all possible runs happen. The integers near those that the program names are tried.
    pub fn is_sampled(&self) -> bool {
        self.is_sampled
    }

    /// The same, where instead of those near what the program names, other integers are tried.
    pub fn trying(&self, integers: Vec<i128>) -> Machine {
        let mut tried = if integers.is_empty() { vec![0] } else { integers };
        tried.sort_unstable();
        tried.dedup();
        Machine { tried, ..self.clone() }
    }

    /// The same, where from a time on no more of what comes next is looked for: whoever asks then gets a part of it.
    pub fn until(self, until: impl Into<Option<std::time::Instant>>) -> Machine {
        Machine { until: until.into(), ..self }
    }

    /// Another program made ready to run, in the time that there is for this one.
    ///
    /// # Errors
    /// What [`validate`] says.
    pub fn beside(&self, program: &Program) -> Result<Machine, Invalid> {
        Ok(Machine::new(program)?.until(self.until))
    }

    /// Whether it is too late to look on: what was found since may be a part of what there is.
    pub(crate) fn is_late(&self) -> bool {
        self.until.is_some_and(|until| until < std::time::Instant::now())
    }

    /// The same, where other integers are tried, too.
    pub fn trying_also(&self, integers: &[i128]) -> Machine {
        self.trying([&self.tried, integers].concat())
    }

    /// The states in which nothing has happened: one, unless the first values of some variables are open.
    pub fn initials(&self) -> Vec<State> {
        let mut all = vec![self.initial()];
        for (x, var) in self.program.vars.iter().enumerate().filter(|(_, var)| var.open) {
            let values = match var.domain {
                Some(Domain::Variant { lo, hi }) => (lo..=hi).collect(),
                _ => vec![0, 1],
            };
            let with = |state: &State, value: Cell| {
                let mut state = state.clone();
                state.vars[x] = value;
                state
            };
            all = all.iter().flat_map(|state| values.iter().map(|value| with(state, *value))).collect();
        }
        all
    }

    /// Of the [`initials`](Machine::initials) the one in which these variables, which are open, have these values.
    pub fn beginning(&self, firsts: &[(VarId, i128)]) -> State {
        let mut state = self.initial();
        for &(x, value) in firsts {
            state.vars[x.index()] = value;
        }
        state
    }

    /// The state in which nothing has happened, with one of its first values for each variable that has several.
    pub fn initial(&self) -> State {
        let cell = |v: &Var| match v.init {
            Value::Bool(b) => b as Cell,
            Value::Int(i) => i,
        };
        State {
            vars: self.program.vars.iter().map(cell).collect(),
            locks: vec![Vec::new(); self.program.locks.len()],
            executors: vec![None; self.program.executors.len()],
            tasks: Vec::new(),
            instances: vec![0; self.program.procs.len()],
        }
    }

    /// The value of a variable, by its number.
    pub fn value(&self, state: &State, var: usize) -> Value {
        match self.program.vars[var].domain {
            Some(Domain::Int { .. } | Domain::Variant { .. }) => Value::Int(state.vars[var]),
            _ => Value::Bool(state.vars[var] != 0),
        }
    }

    /// The state with the event's guard true.
    pub fn with_guard(&self, mut state: State, event: ProcId) -> State {
        if let ProcKind::Event { guard: Some(g), .. } = self.program.proc(event).kind {
            state.vars[g.index()] = 1;
        }
        state
    }

    /// Whether a Boolean variable is true.
    pub fn is_true(&self, state: &State, var: VarId) -> bool {
        state.vars[var.index()] != 0
    }

    /// All accesses that occur in the program.
    pub fn accesses(&self) -> impl Iterator<Item = Access> + '_ {
        self.code.iter().flat_map(|c| c.ops.iter().filter_map(|(op, _)| op.access()))
    }

    /// The statements that access a variable.
    pub fn statements_on(&self, var: VarId) -> HashSet<Label> {
        let ops = self.code.iter().flat_map(|code| &code.ops);
        ops.filter(|(op, _)| op.access().is_some_and(|access| access.var == var))
            .map(|(_, label)| *label)
            .collect()
    }

    /// Adds an instance of an event that has not begun yet.
    pub fn post_event(&self, state: &mut State, event: ProcId) {
        let instance = state.tasks.iter().filter(|t| t.parent.is_none()).count() as u32;
        state.instances[event.index()] += 1;
        let task = self.task(event, None, instance, 0, Vec::new());
        state.tasks.push(task);
    }

    fn task(
        &self,
        proc: ProcId,
        parent: Option<TaskId>,
        instance: u32,
        sequence: u32,
        args: Vec<Cell>,
    ) -> Task {
        Task {
            proc,
            parent,
            instance,
            sequence,
            started: 0,
            joins: 0,
            joined: None,
            status: Status::Posted,
            frames: vec![self.frame(proc, args)],
        }
    }

    fn frame(&self, proc: ProcId, mut args: Vec<Cell>) -> Frame {
        args.resize(self.program.proc(proc).locals.len(), 0);
        Frame { proc: proc.0, at: 0, locals: args }
    }

    /// Where a task of this procedure runs.
    pub fn runs_on(&self, proc: ProcId) -> Where {
        match self.program.proc(proc).kind {
            ProcKind::Event { on, .. } | ProcKind::Task { on } => on,
            ProcKind::Proc => Where::Any,
        }
    }

    /// The task that this task's next operation waits to join, if it is a join.
    pub fn waits_for(&self, state: &State, task: TaskId) -> Option<TaskId> {
        match state.tasks[task].status {
            Status::Suspended(child) => child,
            Status::Ready => match self.next_op(state, task) {
                Some((Op::Join(h, _), _)) => {
                    let handle = state.tasks[task].frames.last()?.locals[h.index()];
                    (handle > 0).then(|| handle as TaskId - 1)
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn next_op<'m>(&'m self, state: &State, task: TaskId) -> Option<&'m (Op, Label)> {
        let frame = state.tasks[task].frames.last()?;
        Some(&self.code[frame.proc as usize].ops[frame.at as usize])
    }

    /// The label of the task's next operation.
    pub fn at(&self, state: &State, task: TaskId) -> Option<Label> {
        self.next_op(state, task).map(|(_, label)| *label)
    }

    /// The label of the task's next operation, if that starts a task.
    pub fn starts(&self, state: &State, task: TaskId) -> Option<Label> {
        match (state.tasks[task].status, self.next_op(state, task)?) {
            (Status::Ready, (Op::Async(..), label)) => Some(*label),
            _ => None,
        }
    }

    /// All steps that are possible, of all tasks.
    pub fn steps(&self, state: &State) -> Vec<Step> {
        (0..state.tasks.len()).flat_map(|t| self.steps_of(state, t)).collect()
    }

    /// The steps that a task can take; several when a value is chosen.
    pub fn steps_of(&self, state: &State, task: TaskId) -> Vec<Step> {
        match state.tasks[task].status {
            Status::Posted | Status::Suspended(_) => self.begin(state, task),
            Status::Ready => self.statement(state, task),
            Status::Stuck | Status::Ended => Vec::new(),
        }
    }

    /// A task begins or goes on behind a suspension: it takes its executor.
    fn begin(&self, state: &State, task: TaskId) -> Vec<Step> {
        let me = &state.tasks[task];
        let mut next = state.clone();
        if let Where::On(e) = self.runs_on(me.proc) {
            if state.executors[e.index()].is_some() {
                return Vec::new();
            }
            next.executors[e.index()] = Some(task);
        }
        if let (Status::Posted, ProcKind::Event { guard: Some(g), .. }) =
            (me.status, self.program.proc(me.proc).kind)
            && state.vars[g.index()] == 0
        {
            return Vec::new();
        }
        if let Status::Suspended(Some(child)) = me.status {
            if state.tasks[child].status != Status::Ended {
                return Vec::new();
            }
            complete_join(&mut next, task, child);
        }
        next.tasks[task].status = Status::Ready;
        self.settled(next, task).into_iter().map(|state| Step { task, event: Event::Begin, state }).collect()
    }

    fn statement(&self, state: &State, task: TaskId) -> Vec<Step> {
        let Some((op, label)) = self.next_op(state, task) else { return Vec::new() };
        let event = Event::Statement(*label, op.access());
        let locals = &state.tasks[task].frames.last().expect("a ready task has a frame").locals;
        let mut nexts = Vec::new();
        // The state behind the operation, the task's place already moved on.
        let moved = || {
            let mut next = state.clone();
            next.tasks[task].frames.last_mut().expect("as above").at += 1;
            next
        };
        match op {
            Op::Read(x, into) => {
                let Some(t) = into else {
                    nexts.push(moved());
                    return self.stepped(nexts, task, event);
                };
                let values = match self.program.vars[x.index()].domain {
                    Some(_) => vec![state.vars[x.index()]],
                    None => self.any(self.type_of(state, task, *t)),
                };
                nexts.extend(values.into_iter().map(|v| {
                    let mut next = moved();
                    next.tasks[task].frames.last_mut().expect("as above").locals[t.index()] = v;
                    next
                }));
            }
            Op::Write(x) | Op::Update(x, _) => {
                let domain = self.program.vars[x.index()].domain;
                let updated = match (op, domain) {
                    (Op::Update(_, class), Some(domain)) => self.program.updated(domain, *class),
                    _ => Updated::Any,
                };
                let values = match (domain, updated) {
                    (None, _) => vec![0],
                    (_, Updated::Present) if state.vars[x.index()] == 0 => vec![],
                    (_, Updated::Present) => vec![1],
                    (_, Updated::Value(left)) => vec![Cell::from(left)],
                    (_, Updated::Same) => vec![state.vars[x.index()]],
                    (Some(Domain::Int { lo, hi } | Domain::Variant { lo, hi }), _) => self.any_of(lo, hi),
                    (Some(Domain::Bool | Domain::Presence), _) => vec![0, 1],
                };
                nexts.extend(values.into_iter().map(|v| {
                    let mut next = moved();
                    next.vars[x.index()] = v;
                    next
                }));
            }
            Op::Set(x, e) => {
                let domain = self.program.vars[x.index()].domain;
                let values: HashSet<Cell> =
                    self.eval(e, locals, hint(domain)).into_iter().map(|v| store(domain, v)).collect();
                nexts.extend(values.into_iter().map(|v| {
                    let mut next = moved();
                    next.vars[x.index()] = v;
                    next
                }));
            }
            Op::Acquire(l, mode) => {
                let holders = &state.locks[l.index()];
                let free = match mode {
                    Mode::Exclusive => holders.is_empty(),
                    Mode::Shared => holders.iter().all(|&(t, m)| m == Mode::Shared && t != task),
                };
                if free {
                    let mut next = moved();
                    next.locks[l.index()].push((task, *mode));
                    next.locks[l.index()].sort_by_key(|h| h.0);
                    nexts.push(next);
                }
            }
            Op::Release(l) => {
                let mut next = moved();
                next.locks[l.index()].retain(|h| h.0 != task);
                nexts.push(next);
            }
            Op::Yield => {
                let mut next = moved();
                if self.give_back(&mut next, task) {
                    next.tasks[task].status = Status::Suspended(None);
                    return vec![Step { task, event, state: next }];
                }
                nexts.push(next);
            }
            Op::Async(proc, args, handle) => {
                for args in self.eval_all(args, locals, *proc) {
                    let mut next = moved();
                    let child = next.tasks.len();
                    let (instance, sequence) = (next.tasks[task].instance, next.tasks[task].started);
                    next.tasks[task].started += 1;
                    next.tasks.push(self.task(*proc, Some(task), instance, sequence, args));
                    if let Some(h) = handle {
                        next.tasks[task].frames.last_mut().expect("as above").locals[h.index()] =
                            child as Cell + 1;
                    }
                    // A task of its own thread begins at once: nobody can tell.
                    if self.runs_on(*proc) == Where::Any {
                        next.tasks[child].status = Status::Ready;
                        nexts.extend(self.settled(next, child));
                    } else {
                        nexts.push(next);
                    }
                }
            }
            Op::Join(h, gives_back) => {
                let handle = locals[h.index()];
                let mut next = moved();
                if handle > 0 {
                    let child = handle as TaskId - 1;
                    if *gives_back && self.give_back(&mut next, task) {
                        next.tasks[task].status = Status::Suspended(Some(child));
                        return vec![Step { task, event, state: next }];
                    }
                    if state.tasks[child].status != Status::Ended {
                        return Vec::new();
                    }
                    complete_join(&mut next, task, child);
                }
                nexts.push(next);
            }
            _ => return Vec::new(),
        }
        self.stepped(nexts, task, event)
    }

    fn stepped(&self, nexts: Vec<State>, task: TaskId, event: Event) -> Vec<Step> {
        let settled = nexts.into_iter().flat_map(|next| self.settled(next, task));
        settled.map(|state| Step { task, event, state }).collect()
    }

    /// Gives a cooperative executor back; whether there was one.
    fn give_back(&self, state: &mut State, task: TaskId) -> bool {
        match self.runs_on(state.tasks[task].proc) {
            Where::On(e) if !self.program.executors[e.index()].exclusive => {
                state.executors[e.index()] = None;
                true
            }
            _ => false,
        }
    }
}

/// The integers near some, as far as they are in a range.
fn near(integers: &[Cell], (lo, hi): (Cell, Cell)) -> Vec<Cell> {
    let near = integers.iter().flat_map(|&i| i - NEAR..=i + NEAR).filter(|i| (lo..=hi).contains(i));
    let mut near: Vec<Cell> = near.collect();
    near.sort_unstable();
    near.dedup();
    near
}

fn complete_join(state: &mut State, task: TaskId, child: TaskId) {
    let block = state.tasks[task].joins;
    if state.tasks[child].joined.is_none() {
        state.tasks[child].joined = Some(block);
    }
    state.tasks[task].joins += 1;
}
