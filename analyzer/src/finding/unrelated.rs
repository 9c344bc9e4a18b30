//! Violations that tear apart what nothing says belongs together.

use std::collections::HashMap;

use super::Role;
use crate::ir::*;
use crate::semantics::{Access, AccessKind};
use crate::witness::{Act, Replayed, Trace};

/// Calls within calls that are followed.
const MAX_CALLS: u32 = 12;

/// Why what the pivot's event does apart need not belong together, if there is a reason.
pub(super) fn unrelated(program: &Program, trace: &Trace, replayed: &Replayed) -> Option<String> {
    let held = Held::of(program, trace, replayed);
    let (first, last) = ends(&held)?;
    let again = || rounds(program, trace.tasks[first.task].proc, first, last);
    match first.access.var == last.access.var {
        true => elements(program, first, last).or_else(again),
        false => again().or_else(|| apart(program, &held, first, last)),
    }
}

/// The two accesses of the pivot's event that are torn apart.
pub(super) fn ends(held: &[Held]) -> Option<(&Held, &Held)> {
    let exits = [Role::Exit, Role::EntryExit];
    let last = held.iter().find(|held| held.role == Role::Pivot)?;
    let first = held.iter().find(|held| exits.contains(&held.role) && held.instance == last.instance)?;
    Some((first, last))
}

/// The two accesses are those of two rounds of a loop, and each is to another of many elements that are locked one by one.
fn elements(program: &Program, first: &Held, last: &Held) -> Option<String> {
    let variable = &program.vars[first.access.var.index()];
    let again = again(first, last).next().is_some();
    (variable.is_many() && again).then(|| {
        format!(
            "`{}` stands for many, each protected on its own: here one is handled after the other",
            variable.name
        )
    })
}

/// The statements that both accesses were made by, or under: done twice, or one place in a loop.
pub(super) fn again(first: &Held, last: &Held) -> impl Iterator<Item = Label> {
    let access = (first.label == last.label).then_some(first.label);
    first.since.iter().filter(|since| last.since.contains(since)).copied().chain(access)
}

/// The two accesses are those of two rounds of a loop, each of which takes the lock anew, or looks anew, and goes by what it
/// finds then: a retry, or one piece of work after the other.
fn rounds(program: &Program, task: ProcId, first: &Held, last: &Held) -> Option<String> {
    (first.task == last.task && again(first, last).any(|label| in_rounds(program, task, label))).then(|| {
        let variable = &program.vars[last.access.var.index()].name;
        format!("`{variable}` is accessed anew on every iteration of a loop: a bug only if two iterations have to agree")
    })
}

/// Whether a task comes to a statement in the rounds of a loop, and only there.
pub(super) fn in_rounds(program: &Program, task: ProcId, label: Label) -> bool {
    matches!(ways(program, task, label, false, 0)[..], [true])
}

/// The ways from a procedure to a statement through calls, two at most: whether each leads through a loop.
fn ways(program: &Program, proc: ProcId, label: Label, in_loop: bool, depth: u32) -> Vec<bool> {
    fn search(
        program: &Program,
        block: &Block,
        label: Label,
        in_loop: bool,
        depth: u32,
        found: &mut Vec<bool>,
    ) {
        for statement in block {
            if found.len() > 1 {
                return;
            }
            if statement.label == label {
                found.push(in_loop);
            }
            match &statement.kind {
                StmtKind::If(_, yes, no) => {
                    search(program, yes, label, in_loop, depth, found);
                    search(program, no, label, in_loop, depth, found);
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                    search(program, body, label, true, depth, found);
                }
                StmtKind::Call { proc, .. } => found.extend(ways(program, *proc, label, in_loop, depth + 1)),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    if depth < MAX_CALLS {
        search(program, &program.proc(proc).body, label, in_loop, depth, &mut found);
    }
    found
}

/// Nothing protects the two variables together: neither a lock that is held for all of the accesses, nor an executor that all
/// of them are on. What belongs together is what is locked together (the "atomic sets" of Vaziri, Tip, Dolby, POPL 2006,
/// seen from the other side); of two variables with a lock each, or atomic ones, nothing says that they do. A check that is
/// acted on does say so, and so does a variable whose values are followed: a flag speaks of something else. An event that leaves
/// a part of its work to a task is one piece of work to whoever wrote it.
fn apart(program: &Program, held: &[Held], first: &Held, last: &Held) -> Option<String> {
    let acted_on = first.access.kind == AccessKind::Read && last.access.kind != AccessKind::Read;
    if acted_on {
        return None;
    }
    let both = [first.access.var, last.access.var];
    if both.iter().any(|var| program.vars[var.index()].domain.is_some()) {
        return None;
    }
    let on_cycle: Vec<&Held> =
        held.iter().filter(|held| held.role != Role::Step && both.contains(&held.access.var)).collect();
    let split = |a: &&Held| on_cycle.iter().any(|b| a.instance == b.instance && a.task != b.task);
    if on_cycle.iter().any(split) {
        return None;
    }
    let (one, others) = on_cycle.split_first()?;
    let common = one.by.iter().any(|by| others.iter().all(|other| other.by.contains(by)));
    let [first, last] = both.map(|var| &program.vars[var.index()].name);
    (!common).then(|| {
        format!(
            "`{first}` and `{last}` are not guarded by a common lock: a bug only if their values have to agree"
        )
    })
}

/// What keeps others out.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Keeper {
    Lock(LockId),
    Executor(ExecId),
}

impl Keeper {
    /// The executor that an event or task runs on, if it has one of its own.
    pub(super) fn executor(program: &Program, proc: ProcId) -> Option<Keeper> {
        match program.proc(proc).kind {
            ProcKind::Event { on: Where::On(executor), .. } | ProcKind::Task { on: Where::On(executor) } => {
                Some(Keeper::Executor(executor))
            }
            _ => None,
        }
    }
}

/// An access, and what was held for it.
pub(super) struct Held {
    pub task: usize,
    pub instance: usize,
    pub role: Role,
    pub label: Label,
    pub access: Access,
    pub basis: Option<BasisId>,
    pub by: Vec<Keeper>,
    /// How often its task had begun or gone on.
    pub turn: usize,
    /// Where its locks were acquired.
    pub since: Vec<Label>,
    /// The critical sections around it, numbered.
    sections: Vec<usize>,
}

impl Held {
    /// Whether two accesses are in one critical section, or in one turn of a task that has its executor to itself.
    pub fn is_at_once_with(&self, other: &Held) -> bool {
        let executor = |by: &&Keeper| matches!(by, Keeper::Executor(_));
        self.instance == other.instance
            && (std::ptr::eq(self, other)
                || self.sections.iter().any(|section| other.sections.contains(section))
                || self.task == other.task
                    && self.turn == other.turn
                    && self.by.iter().filter(executor).any(|by| other.by.contains(by)))
    }

    /// The accesses of a schedule.
    pub fn of(program: &Program, trace: &Trace, replayed: &Replayed) -> Vec<Held> {
        let statements: HashMap<Label, &Stmt> =
            program.statements().into_iter().map(|statement| (statement.label, statement)).collect();
        let mut locked: Vec<Vec<(LockId, Label, usize)>> = vec![Vec::new(); trace.tasks.len()];
        let mut turns = vec![0; trace.tasks.len()];
        let mut all = Vec::new();
        for (number, action) in replayed.order.iter().map(|&action| &trace.actions[action]).enumerate() {
            turns[action.task] += usize::from(matches!(action.act, Act::Begin));
            let Act::Statement { label, access, .. } = action.act else { continue };
            let locked = &mut locked[action.task];
            let statement = statements.get(&label);
            match statement.map(|statement| &statement.kind) {
                Some(StmtKind::Acquire(lock, _)) => locked.push((*lock, label, number)),
                Some(StmtKind::Release(lock)) => {
                    let at = locked.iter().rposition(|(other, ..)| other == lock);
                    at.map(|at| locked.remove(at));
                }
                _ => {}
            }
            let Some(access) = access else { continue };
            let task = &trace.tasks[action.task];
            let locks = locked.iter().map(|(lock, ..)| Keeper::Lock(*lock));
            all.push(Held {
                task: action.task,
                instance: task.instance,
                role: action.role,
                label,
                access,
                basis: statement.and_then(|statement| statement.basis),
                by: locks.chain(Keeper::executor(program, task.proc)).collect(),
                turn: turns[action.task],
                since: locked.iter().map(|(_, label, _)| *label).collect(),
                sections: locked.iter().map(|(.., section)| *section).collect(),
            });
        }
        all
    }
}
