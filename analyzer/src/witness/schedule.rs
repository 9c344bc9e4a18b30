//! An interleaving of a trace's actions that the reference interpreter accepts.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use super::{Act, Action, Trace, sections};
use crate::finding::Role;
use crate::ir::*;
use crate::semantics::{Access, Before, Event, Machine, State, Status, TaskId};

/// A trace that was replayed.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// Indices into [`Trace::actions`], in the order they happen; the pivot is the last.
    pub order: Vec<usize>,
    /// The states in which the pivot is next, which differ in values nobody chose yet, and the task that it is next in.
    pub before_pivot: (Vec<State>, TaskId),
    /// By action of the order: what was in the variable that it accesses before it, as it is in all states that the schedule may be in
    /// then; none where it accesses nothing, or they differ.
    pub found: Vec<Option<i128>>,
}

impl Replayed {
    /// What is in a variable where the pivot is next, if that is known.
    pub fn left(&self, var: VarId) -> Option<i128> {
        agreed(&self.before_pivot.0, var)
    }
}

/// What is in a variable in all these states.
fn agreed(states: &[State], var: VarId) -> Option<i128> {
    let mut values = states.iter().map(|state| state.cell(var));
    let value = values.next()?;
    values.all(|other| other == value).then_some(value)
}

/// Positions of the search; beyond, the trace counts as not replayable.
const POSITIONS: usize = 5_000;
/// Traces with more actions than this are searched without looking ahead at the order of sections.
const ORDERED: usize = 5_000;
/// States that differ only in values nobody chose yet.
const STATES: usize = 256;

/// Finds a schedule of the trace in the multi-thread semantics and checks the violation on it; `None` when there is none, or none was
/// found in time.
///
/// `event` is the event whose determinism is violated, `None` for serializability.
pub fn replay(machine: &Machine, trace: &Trace, event: Option<ProcId>, until: Instant) -> Option<Replayed> {
    let mut start = machine.beginning(&trace.firsts);
    if let Some(event) =
        event.filter(|&e| matches!(machine.program.proc(e).kind, ProcKind::Event { alone: true, .. }))
    {
        start = machine.with_guard(start, event);
    }
    let mut search = Search::new(machine, trace, until);
    if event.is_some() {
        search.one_after_the_other();
    }
    let sections = sections::sections(machine, trace, &search.actions);
    if trace.actions.len() <= ORDERED
        && !sections::order(trace, &search.actions, &sections, &mut search.before, until)
    {
        return None;
    }
    search.run(vec![start], event)
}

struct Search<'a> {
    machine: &'a Machine,
    trace: &'a Trace,
    /// By task: its actions, in order.
    actions: Vec<Vec<usize>>,
    /// By action: how many of its task's come before it; `None` for those that are not done.
    index: Vec<Option<u32>>,
    /// By action: those that have to happen before.
    before: Vec<Vec<usize>>,
    /// By action: how many joins its task completed before it.
    blocks: HashMap<usize, u32>,
    /// Positions from which there is no way on.
    dead: HashSet<Vec<u32>>,
    /// When to give up.
    until: Instant,
    /// An event instance begins when those before it are over.
    serial: bool,
}

/// Where a schedule stands.
#[derive(Clone)]
struct Position {
    /// By task: how many of its actions happened.
    done: Vec<u32>,
    /// By task: its number in the interpreter.
    ids: Vec<Option<TaskId>>,
    /// The states the interpreter can be in.
    states: Vec<State>,
}

impl<'a> Search<'a> {
    fn new(machine: &'a Machine, trace: &'a Trace, until: Instant) -> Self {
        let mut actions = vec![Vec::new(); trace.tasks.len()];
        for (i, action) in trace.actions.iter().enumerate() {
            if !matches!(action.act, Act::Blocked(_)) {
                actions[action.task].push(i);
            }
        }
        let mut search = Search {
            machine,
            trace,
            index: vec![None; trace.actions.len()],
            actions,
            before: Vec::new(),
            blocks: HashMap::new(),
            dead: HashSet::new(),
            until,
            serial: false,
        };
        for actions in &search.actions {
            actions.iter().zip(0..).for_each(|(&a, i)| search.index[a] = Some(i));
        }
        search.before = vec![Vec::new(); trace.actions.len()];
        search.order_conflicts();
        search
    }

    /// Whether it is time to give up. What was not looked at in time orders nothing, so then there is no schedule.
    fn is_late(&self) -> bool {
        self.until < Instant::now()
    }

    /// Conflicting accesses keep the order they have in the trace; the pivot comes after everything.
    fn order_conflicts(&mut self) {
        let access = |a: &Action| match a.act {
            Act::Statement { access, .. } => access,
            _ => None,
        };
        for (i, a) in self.trace.actions.iter().enumerate() {
            if self.is_late() {
                return;
            }
            for (j, b) in self.trace.actions[..i].iter().enumerate() {
                let conflict = matches!((access(a), access(b)), (Some(x), Some(y)) if x.conflicts(y));
                let ordered = conflict || a.role == Role::Pivot;
                if ordered && a.task != b.task && !matches!(b.act, Act::Blocked(_)) {
                    self.before[i].push(j);
                }
            }
        }
    }

    /// Determinism: what happened before the event in question is over before that begins.
    fn one_after_the_other(&mut self) {
        self.serial = true;
        let instance = |a: usize| self.trace.tasks[self.trace.actions[a].task].instance;
        let done = |a: usize| !matches!(self.trace.actions[a].act, Act::Blocked(_));
        for i in 0..self.trace.actions.len() {
            if self.is_late() {
                return;
            }
            let earlier = (0..self.trace.actions.len()).filter(|&j| instance(j) < instance(i) && done(j));
            self.before[i].extend(earlier);
        }
    }

    /// Depth-first search over the positions, the trace's own order first.
    fn run(&mut self, states: Vec<State>, event: Option<ProcId>) -> Option<Replayed> {
        let tasks = self.trace.tasks.len();
        let start = Position { done: vec![0; tasks], ids: vec![None; tasks], states };
        let total = self.actions.iter().map(Vec::len).sum::<usize>();
        let mut order = Vec::new();
        let mut open = vec![(start.clone(), self.candidates(&start))];
        loop {
            if self.is_late() {
                return None;
            }
            let (position, candidates) = open.last_mut()?;
            let Some(action) = candidates.pop() else {
                self.dead.insert(position.done.clone());
                open.pop();
                order.pop();
                continue;
            };
            let position = position.clone();
            let Some(next) = self.step(&position, action) else { continue };
            if self.dead.contains(&next.done) || self.dead.len() > POSITIONS {
                continue;
            }
            order.push(action);
            if order.len() == total {
                if !self.is_violation(&order, &position, event) {
                    return None;
                }
                let task = position.ids[self.trace.actions[action].task]?;
                let act = self.trace.actions[action].act;
                let mut before = self.start_others(position.states, task, Some(act));
                before.retain(|state| self.can_do(state, task, act));
                let found = |(position, action): (&Position, &usize)| {
                    agreed(&position.states, self.access(*action)?.var)
                };
                let found = open.iter().map(|(position, _)| position).zip(&order).map(found).collect();
                return Some(Replayed { order, before_pivot: (before, task), found });
            }
            let candidates = self.candidates(&next);
            open.push((next, candidates));
        }
    }

    /// The actions that may come next as far as their order says; the earliest of the trace is last.
    fn candidates(&self, position: &Position) -> Vec<usize> {
        let next = |task: usize| self.actions[task].get(position.done[task] as usize).copied();
        let is_done = |a: usize| self.index[a].is_none_or(|i| i < position.done[self.trace.actions[a].task]);
        let ready = |&a: &usize| {
            let started = self.trace.tasks[self.trace.actions[a].task].started_by;
            started.is_none_or(is_done) && self.before[a].iter().all(|&b| is_done(b))
        };
        let mut ready: Vec<usize> = (0..self.actions.len()).filter_map(next).filter(ready).collect();
        ready.sort_unstable_by(|a, b| b.cmp(a));
        ready
    }

    /// Lets the interpreter do the action.
    fn step(&mut self, position: &Position, action: usize) -> Option<Position> {
        let Action { task, act, .. } = self.trace.actions[action];
        let mut next = position.clone();
        next.done[task] += 1;
        let proc = self.trace.tasks[task].proc;
        let id = match next.ids[task] {
            Some(id) => id,
            None => {
                debug_assert!(
                    self.trace.tasks[task].started_by.is_none(),
                    "started tasks get their number at the start"
                );
                let id = next.states.first()?.tasks.len();
                if self.serial {
                    next.states.retain(State::is_quiet);
                }
                next.states.iter_mut().for_each(|s| self.machine.post_event(s, proc));
                next.ids[task] = Some(id);
                id
            }
        };
        next.states = self.start_others(next.states, id, Some(act));
        self.blocks.insert(action, next.states.first()?.tasks[id].joins);
        let (mut states, mut seen) = (Vec::new(), HashSet::new());
        for state in &next.states {
            // Between two actions there may be thousands of ways to choose values that nobody else sees.
            if self.is_late() {
                return None;
            }
            for step in self.machine.steps_of(state, id) {
                if is(act, step.event) && states.len() < STATES && seen.insert(step.state.clone()) {
                    states.push(step.state);
                }
            }
        }
        let child = next.states.first()?.tasks.len();
        let started = self.trace.tasks.iter().position(|t| t.started_by == Some(action));
        if let Some(started) = started {
            next.ids[started] = Some(child);
        }
        let then = self.actions[task].get(next.done[task] as usize).map(|&a| self.trace.actions[a].act);
        // What is left of a task that does nothing more only matters if somebody may wait for its end.
        next.states = match then {
            None if !self.trace.tasks[task].ended => states,
            _ => self.start_others(states, id, then),
        };
        (!next.states.is_empty()).then_some(next)
    }

    fn can_do(&self, state: &State, task: TaskId, act: Act) -> bool {
        self.machine.steps_of(state, task).iter().any(|step| is(act, step.event))
    }

    /// Lets a task start tasks that the trace leaves out, for they do nothing in it, up to its next action; as few as it takes.
    fn start_others(&self, states: Vec<State>, id: TaskId, next: Option<Act>) -> Vec<State> {
        let is_next = |label| matches!(next, Some(Act::Statement { label: l, .. }) if l == label);
        let starts = |state: &State| self.machine.starts(state, id).is_some_and(|label| !is_next(label));
        // All states of a round have started the same number of tasks, so tasks have the same numbers in them.
        let (mut round, mut left) = (states, POSITIONS);
        loop {
            let (open, mut done): (Vec<State>, Vec<State>) = round.into_iter().partition(starts);
            // A state in which a value was chosen that leads elsewhere has nothing to say here.
            done.retain(|state| next.is_none_or(|act| self.is_at(state, id, act)));
            if !done.is_empty() || open.is_empty() || left < open.len() {
                done.truncate(STATES);
                return done;
            }
            if self.is_late() {
                return Vec::new();
            }
            left -= open.len();
            let steps = open.iter().flat_map(|state| self.machine.steps_of(state, id));
            round = steps.map(|step| step.state).collect();
        }
    }

    /// Whether an action is what a task does next, as soon as it can.
    fn is_at(&self, state: &State, task: TaskId, act: Act) -> bool {
        match (act, state.tasks[task].status) {
            (Act::Statement { label, .. }, Status::Ready) => self.machine.at(state, task) == Some(label),
            (Act::Begin, Status::Posted | Status::Suspended(_)) => true,
            _ => false,
        }
    }

    /// Whether the schedule, whose last step is taken from `before_pivot`, violates the property.
    fn is_violation(&self, order: &[usize], before_pivot: &Position, event: Option<ProcId>) -> bool {
        match event {
            Some(_) => self.is_out_of_order(order, before_pivot),
            None => self.is_cycle(order),
        }
    }

    fn access(&self, action: usize) -> Option<Access> {
        match self.trace.actions[action].act {
            Act::Statement { access, .. } => access,
            _ => None,
        }
    }

    /// The pivot comes behind a conflicting access that depth-first order puts later.
    fn is_out_of_order(&self, order: &[usize], before_pivot: &Position) -> bool {
        let Some((&pivot, earlier)) = order.split_last() else { return false };
        let (Some(access), Some(state)) = (self.access(pivot), before_pivot.states.first()) else {
            return false;
        };
        let order = Before { machine: self.machine, state };
        let id = |a: usize| before_pivot.ids[self.trace.actions[a].task];
        earlier.iter().any(|&a| {
            let (Some(other), Some(mine)) = (id(a), id(pivot)) else { return false };
            let conflicts = self.access(a).is_some_and(|b| b.conflicts(access));
            let block = |a: usize| self.blocks.get(&a).copied().unwrap_or(0);
            conflicts && other != mine && order.may_be_later((other, block(a)), (mine, block(pivot)))
        })
    }

    /// The conflicts between event instances, in the order of the schedule, have a cycle.
    fn is_cycle(&self, order: &[usize]) -> bool {
        let mut graph = petgraph::graphmap::DiGraphMap::<usize, ()>::new();
        let instance = |a: usize| self.trace.tasks[self.trace.actions[a].task].instance;
        for (i, &a) in order.iter().enumerate() {
            if self.is_late() {
                return false;
            }
            for &b in &order[i + 1..] {
                if let (Some(x), Some(y)) = (self.access(a), self.access(b))
                    && x.conflicts(y)
                    && instance(a) != instance(b)
                {
                    graph.add_edge(instance(a), instance(b), ());
                }
            }
        }
        petgraph::algo::is_cyclic_directed(&graph)
    }
}

/// Whether what the interpreter did is what the trace says.
fn is(act: Act, event: Event) -> bool {
    match (act, event) {
        (Act::Begin, Event::Begin) => true,
        (Act::Statement { label, access, .. }, Event::Statement(l, a)) => label == l && access == a,
        _ => false,
    }
}
