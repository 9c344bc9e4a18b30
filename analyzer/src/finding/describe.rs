//! A replayed trace in the user's words.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};

use super::order::takes_out_in_vain;
use super::reliance::{Reliance, reliance};
use super::stack::Calls;
use super::violation::Violation;
use super::words::{Other, Reordered, Spot, Torn};
use super::{Class, Finding, Frame, Lane, Level, Property, Role, Step, StepKind};
use crate::ir::*;
use crate::semantics::{Access, AccessKind, Signal, Signals};
use crate::witness::{Act, Action, Replayed, Trace};

/// The finding that a replayed trace amounts to. `event` is the event that is not deterministic, `None` for
/// serializability. `unit` and what other events are like is left for the caller to fill in; so is the fingerprint, of which there is
/// only what it is made of.
pub fn describe(program: &Program, trace: &Trace, replayed: &Replayed, event: Option<ProcId>) -> Finding {
    let statements: HashMap<Label, &Stmt> =
        program.statements().into_iter().map(|statement| (statement.label, statement)).collect();
    let is_ghost = |action: &&usize| {
        let Act::Statement { label, .. } = trace.actions[**action].act else { return false };
        match statements.get(&label).map(|statement| &statement.kind) {
            Some(StmtKind::Acquire(lock, _) | StmtKind::Release(lock)) => {
                program.locks[lock.index()].is_ghost()
            }
            _ => false,
        }
    };
    let order: Vec<usize> = replayed.order.iter().filter(|action| !is_ghost(action)).copied().collect();
    let violation = Violation::of(program, trace, replayed);
    let signals = Signals::new(program);
    Describe { program, trace, statements: &statements, order: &order, violation, signals, event }.finding()
}

struct Describe<'a> {
    program: &'a Program,
    trace: &'a Trace,
    statements: &'a HashMap<Label, &'a Stmt>,
    order: &'a [usize],
    violation: Violation<'a>,
    signals: Signals,
    event: Option<ProcId>,
}

impl Describe<'_> {
    fn finding(&self) -> Finding {
        let (torn, reordered) = match self.event {
            Some(_) => (None, self.reordered()),
            None => (self.torn(), None),
        };
        let variable = self.pivot_access().map(|a| self.var(a.var)).unwrap_or_default();
        let (class, message, hint) = match (torn, reordered) {
            (Some(torn), _) => (torn.class(), torn.message(), torn.hint()),
            (None, Some(reordered)) => (Class::Order, reordered.message(), reordered.hint()),
            (None, None) => {
                let class = if self.event.is_some() { Class::Order } else { Class::CheckThenAct };
                let events = self.cycle().join("`, `");
                (
                    class,
                    format!("`{events}` access `{variable}` in an order that no serial run has"),
                    String::new(),
                )
            }
        };
        let property = match self.event {
            Some(event) => Property::Determinism { event: self.name(event) },
            None => Property::Serializability { events: self.cycle(), despite_nondeterminism: false },
        };
        let (lanes, numbers) = self.lanes();
        let mut finding = Finding {
            message,
            assumption: self.assumption().into(),
            hint,
            excuse: String::new(),
            steps: self.steps(&numbers),
            fingerprint: String::new(),
            unit: String::new(),
            alike: BTreeSet::new(),
            level: Level::Deny,
            class,
            property,
            variable,
            lanes,
        };
        for (from, to) in finding.conflicts() {
            finding.steps[from].conflicts_with.push(to as u32 + 1);
        }
        finding.fingerprint = self.fingerprint(&finding);
        finding
    }

    fn name(&self, proc: ProcId) -> String {
        self.program.proc(proc).name.clone()
    }

    fn var(&self, x: VarId) -> String {
        self.program.vars.get(x.index()).map(|v| v.name.clone()).unwrap_or_default()
    }

    fn actions(&self) -> impl Iterator<Item = &Action> {
        self.order.iter().map(|&a| &self.trace.actions[a])
    }

    fn with_role(&self, roles: &[Role]) -> Option<&Action> {
        self.actions().find(|a| roles.contains(&a.role))
    }

    fn access(action: &Action) -> Option<Access> {
        match action.act {
            Act::Statement { access, .. } => access,
            _ => None,
        }
    }

    fn pivot_access(&self) -> Option<Access> {
        self.with_role(&[Role::Pivot]).and_then(Self::access)
    }

    fn instance(&self, action: &Action) -> usize {
        self.trace.tasks[action.task].instance
    }

    /// How the pivot depends on what its event saw before.
    fn reliance(&self) -> Option<Reliance> {
        let (first, last) = self.violation.ends()?;
        reliance(&self.violation, first, last)
    }

    /// The events on the cycle, the delayed one first.
    fn cycle(&self) -> Vec<String> {
        let delayed = self.with_role(&[Role::Pivot]).map(|a| self.instance(a));
        let mut instances: Vec<usize> = delayed.into_iter().collect();
        for action in self.actions().filter(|a| a.role != Role::Step) {
            if !instances.contains(&self.instance(action)) {
                instances.push(self.instance(action));
            }
        }
        instances.into_iter().map(|i| self.name(self.trace.tasks[i].proc)).collect()
    }

    /// What is torn apart, and by whom; none when there is no such thing in the schedule.
    fn torn(&self) -> Option<Torn> {
        let (pivot, mut last) = self.spot(|a| a.role == Role::Pivot)?;
        let delayed = self.instance(pivot);
        let exits = |a: &Action| matches!(a.role, Role::Exit | Role::EntryExit);
        let entries = |a: &Action| matches!(a.role, Role::Entry | Role::EntryExit);
        let (_, mut first) = self.spot(|a| exits(a) && self.instance(a) == delayed)?;
        // What is held all the time is no guard that could be kept.
        let kept = self.locks_kept(&first, &last);
        for spot in [&mut first, &mut last] {
            for (lock, _) in &kept {
                let at = spot.locks.iter().position(|held| held == lock);
                at.map(|at| spot.locks.remove(at));
            }
        }
        let mut others: Vec<Other> = Vec::new();
        let mut seen = vec![delayed];
        for action in self.actions().filter(|a| entries(a) || exits(a)) {
            let instance = self.instance(action);
            if seen.contains(&instance) {
                continue;
            }
            seen.push(instance);
            let own = |role: &dyn Fn(&Action) -> bool| {
                self.spot(|a| role(a) && self.instance(a) == instance).map(|(_, spot)| spot)
            };
            let (Some(enters), Some(leaves)) = (own(&entries), own(&exits)) else { continue };
            others.push(Other { name: self.name(self.trace.tasks[instance].proc), enters, leaves });
        }
        Some(Torn {
            event: self.name(self.trace.tasks[delayed].proc),
            suspended: self.is_suspended(first.step, last.step) || self.is_resumed(),
            first,
            last,
            reliance: self.reliance(),
            kept,
            others,
        })
    }

    /// The access that comes too early, and the one that comes too late.
    fn reordered(&self) -> Option<Reordered> {
        let (root, early) = self.spot(|a| a.role == Role::Root)?;
        let (pivot, late) = self.spot(|a| a.role == Role::Pivot)?;
        let name = |action: &Action| self.name(self.trace.tasks[action.task].proc);
        let starter = |task: usize| self.trace.tasks[task].started_by.map(|by| self.trace.actions[by].task);
        let ancestors = std::iter::successors(starter(pivot.task), |&task| starter(task));
        let last = self.instance(pivot);
        let roots = self.trace.tasks.iter().enumerate().filter(|(_, task)| task.started_by.is_none());
        let before = roots.filter(|(i, _)| *i != last).map(|(_, task)| self.name(task.proc));
        Some(Reordered {
            is_starter: ancestors.into_iter().any(|task| task == root.task),
            early: (early, name(root)),
            late: (late, name(pivot)),
            before: before.collect(),
            in_vain: takes_out_in_vain(&self.violation),
        })
    }

    /// The first access that is such a one.
    fn spot(&self, is: impl Fn(&Action) -> bool) -> Option<(&Action, Spot)> {
        let at = self.actions().position(|action| is(action) && Self::access(action).is_some())?;
        let action = &self.trace.actions[self.order[at]];
        let access = Self::access(action)?;
        let spot = Spot {
            variable: self.var(access.var),
            kind: self.kind(access),
            signal: self.signals.of(access).or_else(|| self.misses(action).then_some(Signal::Enlist)),
            step: at + 1,
            task: action.task,
            locks: self.names_of(self.locks_held(at)),
        };
        Some((action, spot))
    }

    /// The locks that the task of a step holds then, and that it could keep, each with the step that acquired it: what a library function
    /// locks and unlocks itself, for one operation, has no guard.
    fn locks_held(&self, at: usize) -> Vec<(LockId, Mode, usize)> {
        let Action { task, act, .. } = &self.trace.actions[self.order[at]];
        let (task, own) = (*task, place_of(act));
        let mut held: Vec<(LockId, Mode, usize)> = Vec::new();
        for (number, &action) in self.order[..at].iter().enumerate() {
            let action = &self.trace.actions[action];
            match self.statement(action).filter(|_| action.task == task) {
                Some(StmtKind::Acquire(lock, mode)) if own.is_none() || place_of(&action.act) != own => {
                    held.push((*lock, *mode, number));
                }
                Some(StmtKind::Release(lock)) => {
                    let last = held.iter().rposition(|(other, ..)| other == lock);
                    last.map(|last| held.remove(last));
                }
                _ => {}
            }
        }
        held
    }

    /// The locks that a task holds from one of its accesses to another, and how.
    fn locks_kept(&self, first: &Spot, last: &Spot) -> Vec<(String, Mode)> {
        if first.task != last.task {
            return Vec::new();
        }
        let [before, after] = [first, last].map(|spot| self.locks_held(spot.step - 1));
        let kept = before.into_iter().filter(|held| after.contains(held));
        kept.map(|(lock, mode, _)| (self.program.locks[lock.index()].name.clone(), mode)).collect()
    }

    fn names_of(&self, locks: Vec<(LockId, Mode, usize)>) -> Vec<String> {
        locks.into_iter().map(|(lock, ..)| self.program.locks[lock.index()].name.clone()).collect()
    }

    /// Whether the function that makes both accesses is suspended in between, which others need not notice.
    fn is_resumed(&self) -> bool {
        let ends = self.violation.ends();
        ends.is_some_and(|(first, last)| {
            let resumed = self.violation.basis(last).map(|last| &last.resumed);
            resumed.zip(first.basis).is_some_and(|(resumed, first)| resumed.contains(&first))
        })
    }

    /// Whether a task is suspended between two of its steps, which count from 1.
    fn is_suspended(&self, from: usize, to: usize) -> bool {
        let Some(&first) = from.checked_sub(1).and_then(|from| self.order.get(from)) else { return false };
        let task = self.trace.actions[first].task;
        let between = self.order.iter().take(to).skip(from).map(|&action| &self.trace.actions[action]);
        between.filter(|action| action.task == task).any(|action| {
            action.act == Act::Begin
                || matches!(
                    self.statement(action),
                    Some(StmtKind::Yield | StmtKind::Join(_) | StmtKind::Await(_))
                )
        })
    }

    fn statement(&self, action: &Action) -> Option<&StmtKind> {
        let Act::Statement { label, .. } = action.act else { return None };
        self.statements.get(&label).map(|statement| &statement.kind)
    }

    fn assumption(&self) -> &'static str {
        match self.event {
            Some(_) => {
                "the tasks that one handler starts should act as if each ran to its end where the program text starts it"
            }
            None => "each call of a handler should look atomic to the others",
        }
    }

    /// A lane per task that does something, in the order they begin; and each task's lane.
    fn lanes(&self) -> (Vec<Lane>, Vec<usize>) {
        let mut numbers = vec![usize::MAX; self.trace.tasks.len()];
        let mut instances = Vec::new();
        let mut lanes = Vec::new();
        for action in self.actions() {
            if numbers[action.task] != usize::MAX {
                continue;
            }
            numbers[action.task] = lanes.len();
            let task = self.trace.tasks[action.task];
            let instance = instances.iter().position(|&i| i == task.instance).unwrap_or_else(|| {
                instances.push(task.instance);
                instances.len() - 1
            });
            let proc = self.program.proc(task.proc);
            let on = match proc.kind {
                ProcKind::Event { on, .. } | ProcKind::Task { on } => on,
                ProcKind::Proc => Where::Any,
            };
            lanes.push(Lane {
                name: proc.name.clone(),
                instance: instance as u32,
                is_event: task.started_by.is_none(),
                is_spawned: task.started_by.is_some(),
                elsewhere: proc.elsewhere,
                executor: match on {
                    Where::Any => "any".into(),
                    Where::On(e) => self.program.executors[e.index()].name.clone(),
                },
                place: self.place(proc.place),
            });
        }
        (lanes, numbers)
    }

    fn place(&self, place: Option<PlaceId>) -> Option<SourcePlace> {
        place.and_then(|p| self.program.places.get(p.index())).cloned()
    }

    fn steps(&self, lanes: &[usize]) -> Vec<Step> {
        let calls = Calls::of(self.program);
        let step = |(at, &a): (usize, &usize)| {
            let action = &self.trace.actions[a];
            let task = self.trace.tasks[action.task];
            let (kind, subject, place) = match action.act {
                Act::Begin => {
                    let again = self.order[..at].iter().any(|&x| self.trace.actions[x].task == action.task);
                    let kind = if again { StepKind::Resume } else { StepKind::Begin };
                    (kind, String::new(), self.program.proc(task.proc).place)
                }
                Act::Statement { label, place, access, .. } => {
                    let (kind, subject) = self.deed(label, access);
                    (kind, subject, place)
                }
                Act::Blocked(place) => (StepKind::Wait, String::new(), place),
            };
            let (lane, text) = (lanes[action.task], kind.text(&subject));
            let stack = match action.act {
                Act::Statement { label, .. } if action.role != Role::Step => {
                    self.frames(calls.way(task.proc, label, place))
                }
                _ => Vec::new(),
            };
            let (place, role) = (self.place(place), action.role);
            Step { lane, kind, subject, text, place, role, conflicts_with: Vec::new(), stack }
        };
        self.order.iter().enumerate().map(step).collect()
    }

    fn frames(&self, way: Vec<(ProcId, Option<PlaceId>)>) -> Vec<Frame> {
        let frame = |(proc, place): (ProcId, Option<PlaceId>)| {
            let proc = self.program.proc(proc);
            Frame { function: proc.name.clone(), declared: self.place(proc.place), place: self.place(place) }
        };
        way.into_iter().map(frame).collect()
    }

    /// What users call an access: a change after which it is known what there is writes that.
    fn kind(&self, access: Access) -> AccessKind {
        match access.kind {
            AccessKind::Update(class) if self.program.left_by(class).is_some() => AccessKind::Write,
            kind => kind,
        }
    }

    /// Whether a wait begins there, behind what would have ended it.
    fn misses(&self, action: &Action) -> bool {
        let Act::Statement { label, .. } = action.act else { return false };
        let basis = self.statements.get(&label).and_then(|statement| self.program.basis_of(statement));
        basis.is_some_and(|basis| basis.message == Some(Message::Missed))
    }

    /// What a statement does, and to what.
    fn deed(&self, label: Label, access: Option<Access>) -> (StepKind, String) {
        let statement = self.statements.get(&label).copied();
        if let Some(access) = access {
            let message = statement.and_then(|statement| self.program.basis_of(statement)?.message);
            let kind = match (self.kind(access), self.signals.of(access)) {
                _ if matches!(
                    message,
                    Some(Message::Sent | Message::Asked | Message::Inquired | Message::Told)
                ) =>
                {
                    StepKind::Send
                }
                _ if matches!(message, Some(Message::Received | Message::Answered)) => StepKind::Receive,
                _ if message == Some(Message::Started) => StepKind::Spawn,
                _ if message == Some(Message::Running) => StepKind::Run,
                _ if message == Some(Message::Missed) => StepKind::Enlist,
                (_, Some(Signal::Enlist)) => StepKind::Enlist,
                (_, Some(Signal::Wake)) => StepKind::Wake,
                (AccessKind::Read, None) if statement.is_some_and(|it| self.hands_out(it)) => {
                    StepKind::HandOut
                }
                (AccessKind::Read, None) => StepKind::Read,
                (AccessKind::Write, None) if statement.is_some_and(|it| self.takes_out(it)) => {
                    StepKind::Remove
                }
                (AccessKind::Write, None) => StepKind::Write,
                (AccessKind::Update(_), None) => StepKind::Update,
            };
            return (kind, self.var(access.var));
        }
        let lock = |l: &LockId| self.program.locks[l.index()].name.clone();
        match statement.map(|statement| &statement.kind) {
            Some(StmtKind::Acquire(l, Mode::Exclusive)) => (StepKind::Lock, lock(l)),
            Some(StmtKind::Acquire(l, Mode::Shared)) => (StepKind::LockShared, lock(l)),
            Some(StmtKind::Release(l)) => (StepKind::Unlock, lock(l)),
            Some(StmtKind::Yield) => (StepKind::Suspend, String::new()),
            Some(StmtKind::Async { task, .. }) => (StepKind::Spawn, self.name(*task)),
            Some(StmtKind::Join(_) | StmtKind::Await(_)) => (StepKind::Join, String::new()),
            _ => (StepKind::Run, String::new()),
        }
    }

    fn hands_out(&self, statement: &Stmt) -> bool {
        self.program.basis_of(statement).is_some_and(|basis| basis.hands_out)
    }

    fn takes_out(&self, statement: &Stmt) -> bool {
        let change = self.program.basis_of(statement).and_then(|basis| basis.change);
        change.is_some_and(Change::takes_out)
    }

    /// What the fingerprint is made of. It moves with the code and does not depend on which of several schedules the solver
    /// chose: class, variable, the events on the cycle, and the accesses that make the finding one (pivot and root, or the delayed
    /// event's exit).
    fn fingerprint(&self, finding: &Finding) -> String {
        let delayed = self.with_role(&[Role::Pivot]).map(|a| self.instance(a));
        let tells = |a: &&Action| match a.role {
            Role::Pivot | Role::Root => true,
            Role::Exit | Role::EntryExit => Some(self.instance(a)) == delayed,
            _ => false,
        };
        let access = |a: &Action| {
            let access = Self::access(a).map(|x| format!("Some((\"{}\", {:?}))", self.var(x.var), x.kind));
            let access = access.unwrap_or("None".into());
            format!("{:?} {} {access}", a.role, self.name(self.trace.tasks[a.task].proc))
        };
        let accesses: Vec<String> = self.actions().filter(tells).map(access).collect();
        let head = format!("{:?}\0{}\0", finding.class, finding.variable);
        let [events, accesses] = [self.cycle(), accesses].map(|parts| parts.join("\0"));
        [head, events, accesses].join(PARTS)
    }
}

/// Between the parts of what a fingerprint is made of.
const PARTS: &str = "\u{1}";

/// The fingerprint, of what it is made of.
pub(super) fn sealed(print: &str) -> String {
    let mut hash = Sha256::new();
    for (number, part) in print.split(PARTS).enumerate() {
        if number == 0 {
            hash.update(part);
            continue;
        }
        let mut parts: Vec<&str> = part.split('\0').filter(|part| !part.is_empty()).collect();
        // Their order is that of the schedule.
        parts.sort_unstable();
        parts.iter().for_each(|part| hash.update(format!("{part}\0")));
    }
    hash.finalize().iter().take(8).map(|b| format!("{b:02x}")).collect()
}

/// Where a step stands in the source.
fn place_of(act: &Act) -> Option<PlaceId> {
    match act {
        Act::Statement { place, .. } => *place,
        Act::Begin | Act::Blocked(_) => None,
    }
}
