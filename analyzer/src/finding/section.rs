//! What the program text has in the critical section of an access, before it and after it.

use super::MAX_CALLS;
use super::unrelated::in_rounds;
use super::violation::{Held, Keeper, Violation};
use crate::ir::*;

/// A walk over the program text, into what it calls.
trait Walk<'a> {
    /// The program, and which calls the walk is in.
    fn calls(&mut self) -> (&'a Program, &mut Depth);

    fn block(&mut self, block: &Block);

    fn proc(&mut self, proc: ProcId) {
        let (program, depth) = self.calls();
        if depth.calls < MAX_CALLS && depth.left > 0 {
            depth.calls += 1;
            depth.left -= 1;
            self.block(&program.proc(proc).body);
            self.calls().1.calls -= 1;
        }
    }
}

/// How far a walk has gone.
struct Depth {
    /// So many calls within calls.
    calls: u32,
    /// So many calls are still looked into: there are more ways through recursion than can be walked.
    left: u32,
}

impl Depth {
    fn new() -> Depth {
        Depth { calls: 0, left: MOST_CALLS }
    }
}

/// Calls that a walk looks into, all in all.
pub(super) const MOST_CALLS: u32 = 20_000;

/// A look that the program text makes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Look {
    pub label: Label,
    pub var: VarId,
    pub basis: BasisId,
}

/// Whether this is what is done where a look in the other branch is disregarded: it is made all the same.
pub(super) fn is_disregarded(otherwise: &Block) -> bool {
    otherwise.iter().all(|stmt| matches!(stmt.kind, StmtKind::SetLocal(..)))
}

/// The changes that come with an access: those that a task makes to the variable further on in its text, in the same critical section or
/// turn. What it changes later is torn from what it saw in a schedule of its own.
pub(super) struct Ahead<'a> {
    program: &'a Program,
    last: &'a Held,
    /// The look is all that its operation does: it found nothing to change.
    misses: bool,
    passed: bool,
    /// What is held for the look was given back.
    ended: bool,
    depth: Depth,
    /// The looks on every way from the look to where the walk is.
    looks: Vec<Look>,
    /// The looks on any way from there.
    pub met: Vec<Look>,
    /// The changes, each with the looks in front of it.
    pub changes: Vec<(BasisId, Vec<Look>)>,
}

impl<'a> Ahead<'a> {
    pub fn of(violation: &Violation<'a>, last: &'a Held) -> Self {
        let program = violation.program;
        let mut ahead = Ahead {
            program,
            last,
            misses: violation.basis(last).is_some_and(|basis| basis.misses),
            passed: false,
            ended: false,
            depth: Depth::new(),
            looks: Vec::new(),
            met: Vec::new(),
            changes: Vec::new(),
        };
        if !last.by.is_empty() {
            ahead.proc(violation.trace.tasks[last.task].proc);
        }
        ahead
    }

    fn is_with_last(&self) -> bool {
        self.passed && !self.ended
    }
}

impl<'a> Walk<'a> for Ahead<'a> {
    fn calls(&mut self) -> (&'a Program, &mut Depth) {
        (self.program, &mut self.depth)
    }

    fn block(&mut self, block: &Block) {
        for statement in block {
            let var = self.last.access.var;
            let not_done = self.misses && statement.place == self.last.place;
            match &statement.kind {
                StmtKind::Write(x) | StmtKind::Update(x, _) | StmtKind::SetVar(x, _)
                    if *x == var && !not_done =>
                {
                    let looks = self.looks.clone();
                    self.changes
                        .extend(statement.basis.filter(|_| self.is_with_last()).map(|basis| (basis, looks)));
                }
                StmtKind::Read(x) => {
                    let look = |basis| Look { label: statement.label, var: *x, basis };
                    let look = statement.basis.filter(|_| self.is_with_last()).map(look);
                    self.looks.extend(look);
                    self.met.extend(look);
                }
                StmtKind::Release(lock) if self.last.by.contains(&Keeper::Lock(*lock)) => {
                    self.ended = self.passed
                }
                StmtKind::Yield | StmtKind::Await(_) if !self.last.is_locked() => self.ended = self.passed,
                // A look that may be disregarded was made: which of both it is two locals note.
                StmtKind::If(Expr::Any, yes, no) if no.len() > 1 && is_disregarded(no) => self.block(yes),
                StmtKind::If(_, yes, no) => {
                    let (before, passed, ended) = (self.looks.clone(), self.passed, self.ended);
                    self.block(yes);
                    let after = std::mem::replace(&mut self.looks, before);
                    let yes = (
                        std::mem::replace(&mut self.passed, passed),
                        std::mem::replace(&mut self.ended, ended),
                    );
                    self.block(no);
                    // Who comes from the look comes by the branch that has it.
                    match (yes, self.passed) {
                        ((true, yes_ended), true) => {
                            self.looks.retain(|look| after.contains(look));
                            self.ended &= yes_ended;
                        }
                        ((true, yes_ended), false) => {
                            self.looks = after;
                            (self.passed, self.ended) = (true, yes_ended);
                        }
                        ((false, _), _) => {}
                    }
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                    let before = self.looks.clone();
                    self.block(body);
                    self.looks.retain(|look| before.contains(look));
                }
                StmtKind::Call { proc, .. } => self.proc(*proc),
                _ => {}
            }
            if statement.label == self.last.label {
                (self.passed, self.ended) = (true, false);
                self.looks.clear();
                self.met.clear();
            }
        }
    }
}

/// The change that an access is, or those that come with it, each with the looks in front of it: a violation may end with the look that a
/// change begins with.
pub(super) fn changes_with(violation: &Violation<'_>, last: &Held) -> Vec<(BasisId, Vec<Look>)> {
    match last.reads() {
        true => Ahead::of(violation, last).changes,
        false => last.basis.map(|change| (change, Vec::new())).into_iter().collect(),
    }
}

/// A look, and those at the same variable that come with it, further on in the critical section: a violation ends with the first of them.
pub(super) fn looks_with(violation: &Violation<'_>, last: &Held) -> Vec<Look> {
    let Some(basis) = last.basis.filter(|_| last.reads()) else { return Vec::new() };
    let var = last.access.var;
    let mut met = Ahead::of(violation, last).met;
    met.retain(|look| look.var == var);
    // In the rounds of a loop what comes with it looks at what this round has found.
    if !met.is_empty() && in_rounds(violation.program, violation.trace.tasks[last.task].proc, last.label) {
        met.clear();
    }
    met.insert(0, Look { label: last.label, var, basis });
    met
}

/// The looks that the program text has before an access, on any way to it, since a lock was taken that is held for it.
pub(super) fn looks_behind(violation: &Violation<'_>, last: &Held) -> Vec<Look> {
    let mut behind = Behind {
        program: violation.program,
        last,
        depth: Depth::new(),
        looks: Vec::new(),
        found: Vec::new(),
    };
    if last.is_locked() {
        behind.proc(violation.trace.tasks[last.task].proc);
    }
    behind.found
}

struct Behind<'a> {
    program: &'a Program,
    last: &'a Held,
    depth: Depth,
    /// Those since the last lock was taken.
    looks: Vec<Look>,
    found: Vec<Look>,
}

impl<'a> Walk<'a> for Behind<'a> {
    fn calls(&mut self) -> (&'a Program, &mut Depth) {
        (self.program, &mut self.depth)
    }

    fn block(&mut self, block: &Block) {
        for statement in block {
            if statement.label == self.last.label {
                self.found.extend_from_slice(&self.looks);
            }
            match &statement.kind {
                StmtKind::Acquire(lock, _) if self.last.by.contains(&Keeper::Lock(*lock)) => {
                    self.looks.clear()
                }
                StmtKind::Read(var) => {
                    let look = |basis| Look { label: statement.label, var: *var, basis };
                    self.looks.extend(statement.basis.map(look));
                }
                StmtKind::If(_, yes, no) => {
                    let before = self.looks.clone();
                    self.block(yes);
                    let after = std::mem::replace(&mut self.looks, before);
                    self.block(no);
                    let more: Vec<Look> =
                        after.into_iter().filter(|look| !self.looks.contains(look)).collect();
                    self.looks.extend(more);
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => self.block(body),
                StmtKind::Call { proc, .. } => self.proc(*proc),
                _ => {}
            }
        }
    }
}

/// The accesses, by variable, that the program text has in the critical section of an access, before it and after it, on any way.
pub(super) fn around(violation: &Violation<'_>, held: &Held) -> Vec<(VarId, BasisId)> {
    let mut around = Around {
        program: violation.program,
        held,
        depth: Depth::new(),
        with: Vec::new(),
        inside: false,
        found: Vec::new(),
    };
    if held.is_locked() {
        around.proc(violation.trace.tasks[held.task].proc);
    }
    around.found
}

struct Around<'a> {
    program: &'a Program,
    held: &'a Held,
    depth: Depth,
    /// The accesses since a lock was taken that is held.
    with: Vec<(VarId, BasisId)>,
    /// The access is among them.
    inside: bool,
    found: Vec<(VarId, BasisId)>,
}

impl<'a> Walk<'a> for Around<'a> {
    fn calls(&mut self) -> (&'a Program, &mut Depth) {
        (self.program, &mut self.depth)
    }

    fn block(&mut self, block: &Block) {
        for statement in block {
            self.inside |= statement.label == self.held.label;
            match &statement.kind {
                StmtKind::Acquire(lock, _) if self.held.by.contains(&Keeper::Lock(*lock)) => {
                    self.with.clear();
                    self.inside = false;
                }
                StmtKind::Release(lock) if self.held.by.contains(&Keeper::Lock(*lock)) => {
                    if std::mem::take(&mut self.inside) {
                        self.found.append(&mut self.with);
                    }
                    self.with.clear();
                }
                StmtKind::Read(var)
                | StmtKind::Write(var)
                | StmtKind::Update(var, _)
                | StmtKind::SetVar(var, _) => {
                    self.with.extend(statement.basis.map(|basis| (*var, basis)));
                }
                StmtKind::If(_, yes, no) => {
                    let (before, inside) = (self.with.clone(), self.inside);
                    self.block(yes);
                    let after = std::mem::replace(&mut self.with, before);
                    let yes_inside = std::mem::replace(&mut self.inside, inside);
                    self.block(no);
                    let more: Vec<_> = after.into_iter().filter(|one| !self.with.contains(one)).collect();
                    self.with.extend(more);
                    self.inside |= yes_inside;
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => self.block(body),
                StmtKind::Call { proc, .. } => self.proc(*proc),
                _ => {}
            }
        }
    }
}
