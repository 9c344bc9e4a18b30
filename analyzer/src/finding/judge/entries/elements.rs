//! Violations that take two things for one: variables that stand for many elements.

use std::collections::HashSet;

use crate::finding::MAX_CALLS;
use crate::finding::Role;
use crate::finding::section::MOST_CALLS;
use crate::finding::unrelated::{again, in_rounds};
use crate::finding::violation::{Held, Violation};
use crate::ir::*;
use crate::semantics::Machine;

/// Whether the events on the cycle have to do with different objects, or different elements of one.
pub fn are_apart(machine: &Machine, violation: &Violation<'_>) -> bool {
    have_own_objects(violation) || are_beside(violation) || are_of_different_rounds(machine, violation)
}

/// Whether one of the pivot's event's two accesses is to another object than those of the others that it conflicts with, or never at the
/// same time as they: each run has made its own, or has received one that nobody else receives, the task that has made it does all of
/// that one after the other, or whoever has made it has given it to nobody yet.
fn have_own_objects(violation: &Violation<'_>) -> bool {
    let object = |held: &Held| violation.basis(held).and_then(|basis| basis.object);
    let received = |held: &Held| violation.basis(held).is_some_and(|basis| basis.received);
    let private = |held: &Held| violation.basis(held).is_some_and(|basis| basis.private);
    violation.has_end_apart(|end, other| {
        private(end)
            || private(other)
            || received(end) && received(other)
            || object(end).zip(object(other)).is_some_and(|(own, theirs)| violation.is_own(end, own, theirs))
    })
}

/// Whether the two accesses of the pivot's event are to two things, and another event has to do with one of them only.
fn are_beside(violation: &Violation<'_>) -> bool {
    let path = |held: &Held| violation.basis(held).and_then(|basis| basis.path.as_ref());
    let one = |a: &Held, b: &Held| std::ptr::eq(a, b) || path(a).is_some() && path(a) == path(b);
    violation.ends().is_some_and(|(first, last)| {
        let alone = |a: &Held| violation.met(last).all(|b| b.instance != a.instance || one(a, b));
        come_beside(violation, first, last) && violation.met(first).all(alone)
    })
}

/// Whether an event comes to what two of its accesses are to by two ways that differ in one step, so that these are two things of one kind:
/// two arguments, or what two fields lead to. That a caller gives one thing twice is not expected.
pub(in crate::finding) fn come_beside(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let path = |held: &Held| violation.basis(held)?.path.as_ref();
    first.access.var == last.access.var
        && path(first).zip(path(last)).is_some_and(|(first, last)| first.is_beside(last))
}

/// Whether the pivot's event goes through many elements, round by round, and the only other event on the cycle has to do with one of
/// them, in one critical section or by one access: it then comes before or after the round of just that element. That the two events meet
/// twice is because the program does not tell elements apart.
fn are_of_different_rounds(machine: &Machine, violation: &Violation<'_>) -> bool {
    let (program, trace) = (violation.program, violation.trace);
    let on_cycle: Vec<&Held> = violation.held.iter().filter(|held| held.role != Role::Step).collect();
    let Some(last) = on_cycle.iter().find(|held| held.role == Role::Pivot) else { return false };
    let (own, others): (Vec<&Held>, Vec<&Held>) =
        on_cycle.iter().partition(|held| held.instance == last.instance);
    let (Some(first), Some(other)) = (own.iter().find(|held| held.role != Role::Pivot), others.first())
    else {
        return false;
    };
    let var = last.access.var;
    let task = &trace.tasks[other.instance];
    program.vars[var.index()].is_many()
        && on_cycle.iter().all(|held| held.access.var == var)
        && others.iter().all(|held| held.instance == other.instance)
        && first.task == last.task
        && again(first, last).any(|label| in_rounds(program, trace.tasks[first.task].proc, label))
        && Sections::of(machine, var).at_most_one(task.proc)
}

/// Where a task has to do with a variable.
struct Sections<'p> {
    program: &'p Program,
    /// Statements that access the variable.
    accesses: HashSet<Label>,
    /// Locks that are held, with whether they were acquired in a loop.
    open: Vec<(LockId, bool, Section)>,
    /// How many critical sections there were.
    begun: Section,
    /// In which the variable was accessed; by an access outside, in one of its own.
    found: HashSet<Section>,
    /// It cannot be told.
    unclear: bool,
    /// So many calls are still looked into.
    left: u32,
}

/// A number of a critical section.
type Section = usize;

impl<'p> Sections<'p> {
    fn of(machine: &'p Machine, var: VarId) -> Self {
        Sections {
            program: &machine.program,
            accesses: machine.statements_on(var),
            open: Vec::new(),
            begun: 0,
            found: HashSet::new(),
            unclear: false,
            left: MOST_CALLS,
        }
    }

    /// Whether a task has to do with the variable at most once.
    fn at_most_one(mut self, proc: ProcId) -> bool {
        self.block(&self.program.proc(proc).body, false, 0);
        !self.unclear && self.found.len() <= 1
    }

    fn block(&mut self, block: &'p Block, in_loop: bool, depth: u32) {
        for statement in block {
            self.statement(statement, in_loop, depth);
        }
    }

    fn statement(&mut self, statement: &'p Stmt, in_loop: bool, depth: u32) {
        if self.accesses.contains(&statement.label) {
            // The outermost section counts, and only if it is not done again and again.
            match self.open.first() {
                Some((_, false, section)) => _ = self.found.insert(*section),
                None if !in_loop => {
                    self.begun += 1;
                    self.found.insert(self.begun);
                }
                _ => self.unclear = true,
            }
        }
        match &statement.kind {
            StmtKind::Acquire(lock, _) => {
                self.begun += 1;
                self.open.push((*lock, in_loop, self.begun));
            }
            StmtKind::Release(lock) => {
                let at = self.open.iter().rposition(|(other, ..)| other == lock);
                at.map(|at| self.open.remove(at));
            }
            StmtKind::If(_, yes, no) => {
                let before = self.open.clone();
                self.block(yes, in_loop, depth);
                let behind = std::mem::replace(&mut self.open, before);
                self.block(no, in_loop, depth);
                let returns =
                    |block: &Block| block.last().is_some_and(|last| matches!(last.kind, StmtKind::Return(_)));
                match (returns(yes), returns(no)) {
                    (true, _) => {}
                    (false, true) => self.open = behind,
                    // What only one branch holds is not counted on.
                    (false, false) => self.open.retain(|held| behind.contains(held)),
                }
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => self.block(body, true, depth),
            StmtKind::Call { proc, .. } if depth < MAX_CALLS && self.left > 0 => {
                self.left -= 1;
                self.block(&self.program.proc(*proc).body, in_loop, depth + 1);
            }
            StmtKind::Async { .. } | StmtKind::Call { .. } => self.unclear = true,
            _ => {}
        }
    }
}
