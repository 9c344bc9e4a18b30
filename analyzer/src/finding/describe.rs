//! A replayed trace in the user's words.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use super::reliance::{Reliance, reliance};
use super::unrelated::{Held, ends};
use super::{Class, Finding, Lane, Level, Property, Role, Step};
use crate::ir::*;
use crate::semantics::{Access, AccessKind};
use crate::witness::{Act, Action, Replayed, Trace};

/// The finding that a replayed trace amounts to. `event` is the event that is not deterministic, `None` for
/// serializability. `unit` and what other events are like is left for the caller to fill in; so is the fingerprint, of which there is
/// only what it is made of.
pub fn describe(program: &Program, trace: &Trace, replayed: &Replayed, event: Option<ProcId>) -> Finding {
    let statements = program.statements();
    let is_ghost = |action: &&usize| {
        let Act::Statement { label, .. } = trace.actions[**action].act else { return false };
        match statements.iter().find(|statement| statement.label == label).map(|statement| &statement.kind) {
            Some(StmtKind::Acquire(lock, _) | StmtKind::Release(lock)) => {
                program.locks[lock.index()].is_ghost()
            }
            _ => false,
        }
    };
    let order: Vec<usize> = replayed.order.iter().filter(|action| !is_ghost(action)).copied().collect();
    let held = Held::of(program, trace, replayed);
    Describe { program, trace, order: &order, held, event }.finding()
}

struct Describe<'a> {
    program: &'a Program,
    trace: &'a Trace,
    order: &'a [usize],
    /// The accesses.
    held: Vec<Held>,
    event: Option<ProcId>,
}

impl Describe<'_> {
    fn finding(&self) -> Finding {
        let class = self.class();
        let variable = self.pivot_access().map(|a| self.var(a.var)).unwrap_or_default();
        let property = match self.event {
            Some(event) => Property::Determinism { event: self.name(event) },
            None => Property::Serializability { events: self.cycle(), despite_nondeterminism: false },
        };
        let (lanes, numbers) = self.lanes();
        let mut finding = Finding {
            message: self.message(class, &variable),
            assumption: self.assumption().into(),
            hint: hint(class).into(),
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

    /// The delayed event's own access before the others came in between.
    fn delayed_exit(&self) -> Option<Access> {
        let delayed = self.with_role(&[Role::Pivot]).map(|a| self.instance(a))?;
        let exits = [Role::Exit, Role::EntryExit];
        self.actions().find(|a| exits.contains(&a.role) && self.instance(a) == delayed).and_then(Self::access)
    }

    fn class(&self) -> Class {
        if self.event.is_some() {
            return Class::Order;
        }
        let (Some(first), Some(pivot)) = (self.delayed_exit(), self.pivot_access()) else {
            return Class::CheckThenAct;
        };
        match (first.kind, pivot.kind) {
            (AccessKind::Read, AccessKind::Read) if !self.changes() => Class::TornRead,
            (AccessKind::Read, AccessKind::Read) if first.var != pivot.var => Class::CheckThenAct,
            (AccessKind::Read, _) if first.var == pivot.var => match self.reliance() {
                Some(Reliance::Branch) => Class::CheckThenAct,
                _ => Class::LostUpdate,
            },
            (AccessKind::Read, _) => Class::CheckThenAct,
            (_, AccessKind::Read) => Class::TornRead,
            _ => Class::TornWrite,
        }
    }

    /// Whether a change comes with the pivot that depends on what its event saw before, the pivot being a look.
    fn changes(&self) -> bool {
        matches!(self.reliance(), Some(Reliance::Data | Reliance::Branch))
    }

    /// How the pivot depends on what its event saw before.
    fn reliance(&self) -> Option<Reliance> {
        let (first, last) = ends(&self.held)?;
        reliance(self.program, self.trace, &self.held, first, last)
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

    fn message(&self, class: Class, variable: &str) -> String {
        let first = match self.event {
            Some(_) => self.with_role(&[Role::Root]).and_then(Self::access),
            None => self.delayed_exit(),
        };
        let before = first.map_or("`?`".into(), |a| format!("`{}`", self.var(a.var)));
        let events = self.cycle();
        let (one, other) = match &events[..] {
            [one, other, ..] => (one.clone(), other.clone()),
            [one] => (one.clone(), one.clone()),
            [] => Default::default(),
        };
        let reads = |access: Option<Access>| access.is_none_or(|access| access.kind == AccessKind::Read);
        let other = if one == other { "another instance of it".to_string() } else { format!("`{other}`") };
        match (class, self.event) {
            (Class::Order, event) => {
                let event = event.map(|e| self.name(e)).unwrap_or_default();
                let before = self.before();
                format!(
                    "tasks of `{event}` access `{variable}` in an order that the program text does not suggest{before}"
                )
            }
            (Class::LostUpdate, _) => {
                format!("`{one}` reads `{variable}` and writes it later; {other} writes it in between")
            }
            (Class::CheckThenAct, _) if before == format!("`{variable}`") => {
                format!(
                    "`{one}` looks at `{variable}` and changes it later because of what it saw; {other} changes it in between"
                )
            }
            (Class::CheckThenAct, _) => {
                format!("`{one}` acts on `{variable}` after it looked at {before}; {other} comes in between")
            }
            (Class::TornRead, _) if !reads(self.delayed_exit()) && before == format!("`{variable}`") => {
                format!("`{one}` changes `{variable}` and looks at it later; {other} changes it in between")
            }
            (Class::TornRead, _) if !reads(self.delayed_exit()) => {
                format!("`{one}` changes {before} and looks at `{variable}` later; {other} comes in between")
            }
            (Class::TornRead, _) if before == format!("`{variable}`") => {
                format!("`{one}` looks at `{variable}` twice; {other} changes it in between")
            }
            (Class::TornRead, _) => {
                format!(
                    "`{one}` looks at {before} and later at `{variable}`; {other} changes them in between"
                )
            }
            (Class::TornWrite, _) if before == format!("`{variable}`") => {
                format!("`{one}` changes `{variable}` twice; {other} comes in between")
            }
            (Class::TornWrite, _) => {
                format!("`{one}` changes {before} and later `{variable}`; {other} comes in between")
            }
        }
    }

    /// The events that ran before the one that is not deterministic, in words.
    fn before(&self) -> String {
        let last = self.with_role(&[Role::Pivot]).map(|a| self.instance(a));
        let roots = self.trace.tasks.iter().enumerate().filter(|(_, task)| task.started_by.is_none());
        let earlier = roots.filter(|(i, _)| Some(*i) != last);
        let names: Vec<String> = earlier.map(|(_, task)| format!("`{}`", self.name(task.proc))).collect();
        match names.is_empty() {
            true => String::new(),
            false => format!(", after {} ran", names.join(", then ")),
        }
    }

    fn assumption(&self) -> &'static str {
        match self.event {
            Some(_) => {
                "the tasks that an event starts are taken to act in the order in which the program text starts them, each \
                 to its end"
            }
            None => "events are taken to act as if one ran after the other",
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
        let statements = self.program.statements();
        let step = |&a: &usize| {
            let action = &self.trace.actions[a];
            let task = self.trace.tasks[action.task];
            let (text, place) = match action.act {
                Act::Begin => {
                    let began = self.order.iter().take_while(|&&x| x != a);
                    let again = began.into_iter().any(|&x| self.trace.actions[x].task == action.task);
                    let verb = if again { "goes on" } else { "begins" };
                    (verb.to_string(), self.program.proc(task.proc).place)
                }
                Act::Statement { label, place, access } => {
                    let statement = statements.iter().find(|s| s.label == label);
                    (self.text(statement.map(|s| &s.kind), access), place)
                }
                Act::Blocked(place) => ("waits".into(), place),
            };
            Step { lane: lanes[action.task], text, place: self.place(place), role: action.role }
        };
        self.order.iter().map(step).collect()
    }

    fn text(&self, kind: Option<&StmtKind>, access: Option<Access>) -> String {
        if let Some(Access { var, kind }) = access {
            let verb = match kind {
                AccessKind::Read => "reads",
                AccessKind::Write => "writes",
                AccessKind::Update(_) => "updates",
            };
            return format!("{verb} `{}`", self.var(var));
        }
        let lock = |l: &LockId| self.program.locks[l.index()].name.clone();
        match kind {
            Some(StmtKind::Acquire(l, Mode::Exclusive)) => format!("takes `{}`", lock(l)),
            Some(StmtKind::Acquire(l, Mode::Shared)) => format!("takes `{}` shared", lock(l)),
            Some(StmtKind::Release(l)) => format!("gives `{}` back", lock(l)),
            Some(StmtKind::Yield) => "suspends".into(),
            Some(StmtKind::Async { task, .. }) => format!("starts `{}`", self.name(*task)),
            Some(StmtKind::Join(_) | StmtKind::Await(_)) => "waits for a task".into(),
            _ => "runs".into(),
        }
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

fn hint(class: Class) -> &'static str {
    match class {
        Class::LostUpdate => {
            "keep the lock from the read to the write, or use one atomic operation (`fetch_add`, `fetch_update`, `compare_exchange`)"
        }
        Class::CheckThenAct => {
            "keep the lock from the check to the act, use `entry`, or check again before acting"
        }
        Class::TornRead => "read both under one lock, or take one snapshot",
        Class::TornWrite => "write both under one lock",
        Class::Order => {
            "wait for the task (`join`, `.await`) before relying on it, or do the work in one task"
        }
    }
}
