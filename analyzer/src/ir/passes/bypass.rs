//! A program with fewer ways to what it does: what it does, the whole can do.
//!
//! Where many ways lead to the same accesses (a function is called in a hundred places), violations are found on few of them. Of each
//! procedure, calls and branches and loops are kept that read what was not read before, or change what was not changed since; the others
//! are replaced by ways through them on which nothing is done that others can see, if there are any. So are calls of what is under way.

use std::collections::BTreeSet;

use crate::ir::calls::Calls;
use crate::ir::passes::ways::{End, Held, Ways};
use crate::ir::walk::{each, vars_in};
use crate::ir::{
    Block, Expr, Label, LocalId, PlaceId, ProcId, Program, Stmt, StmtKind, Types, VarId, validate,
};

/// So many ways through a statement are kept.
const KEPT: usize = 4;

/// What an access is one of: those of one variable in one place of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Touch {
    Access(Option<PlaceId>, VarId),
    Start(ProcId),
}

/// What is done by a part of a program.
#[derive(Clone, Debug, Default)]
struct Touched {
    reads: BTreeSet<Touch>,
    changes: BTreeSet<Touch>,
}

impl Touched {
    fn is_empty(&self) -> bool {
        self.reads.is_empty() && self.changes.is_empty()
    }

    fn add(&mut self, other: &Touched) {
        self.reads.extend(&other.reads);
        self.changes.extend(&other.changes);
    }
}

/// Takes ways out of a program. Whether there was anything to take out.
pub(crate) fn bypass(program: &mut Program) -> bool {
    let Ok(types) = validate(program) else { return false };
    let whole = program.clone();
    let mut bypass = Bypass::new(&whole, &types);
    for (number, proc) in program.procs.iter_mut().enumerate() {
        let body = std::mem::take(&mut proc.body);
        proc.body = bypass.block(ProcId(number as u32), body, &mut Touched::default());
    }
    bypass.is_changed
}

struct Bypass<'p> {
    ways: Ways<'p>,
    /// By procedure: what it does, and what it calls.
    touched: Vec<Touched>,
    /// Who calls whom that is under way already.
    back: BTreeSet<(ProcId, ProcId)>,
    next: u32,
    is_changed: bool,
}

impl<'p> Bypass<'p> {
    fn new(program: &'p Program, types: &'p Types) -> Bypass<'p> {
        let own: Vec<Touched> = program.procs.iter().map(|proc| own(&proc.body)).collect();
        let calls = Calls::new(program);
        let with_called = |number: usize| {
            let mut all = Touched::default();
            calls.reachable(ProcId(number as u32)).iter().for_each(|proc| all.add(&own[proc.index()]));
            all
        };
        let touched = (0..program.procs.len()).map(with_called).collect();
        let labels = program.statements().into_iter().map(|stmt| stmt.label.0);
        let next = labels.max().map_or(0, |last| last + 1);
        let back = calls.back();
        Bypass { ways: Ways::new(program, types), touched, back, next, is_changed: false }
    }

    /// `before`: what was read before, and what was changed since something was read for the first time.
    fn block(&mut self, proc: ProcId, block: Block, before: &mut Touched) -> Block {
        let mut out = Vec::new();
        for mut stmt in block {
            let touched = self.touched_by(&stmt);
            let reads_more = !touched.reads.is_subset(&before.reads);
            let is_new = reads_more || !touched.changes.is_subset(&before.changes);
            if (!is_new || self.comes_back(proc, &stmt))
                && !touched.is_empty()
                && let Some(instead) = self.around(proc, &stmt)
            {
                self.is_changed = true;
                out.extend(instead);
                continue;
            }
            match &mut stmt.kind {
                StmtKind::If(_, yes, no) => {
                    for side in [yes, no] {
                        let whole = std::mem::take(side);
                        *side = self.block(proc, whole, &mut before.clone());
                    }
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                    let whole = std::mem::take(body);
                    *body = self.block(proc, whole, &mut before.clone());
                }
                _ => {}
            }
            if reads_more {
                before.changes.clear();
            }
            before.add(&touched);
            out.push(stmt);
        }
        out
    }

    /// Whether a call is of what is under way already.
    fn comes_back(&self, from: ProcId, stmt: &Stmt) -> bool {
        matches!(stmt.kind, StmtKind::Call { proc, .. } if self.back.contains(&(from, proc)))
    }

    fn touched_by(&self, stmt: &Stmt) -> Touched {
        let mut all = Touched::default();
        each(std::slice::from_ref(stmt), &mut |stmt| match &stmt.kind {
            StmtKind::Call { proc, .. } => all.add(&self.touched[proc.index()]),
            _ => touch(stmt, &mut all),
        });
        all
    }

    /// What comes in the place of a statement that is gone around.
    fn around(&mut self, proc: ProcId, stmt: &Stmt) -> Option<Block> {
        let is_one_of_many = matches!(
            stmt.kind,
            StmtKind::Call { .. } | StmtKind::If(..) | StmtKind::While(..) | StmtKind::Loop(..)
        );
        let ends = if is_one_of_many { self.ways.through(proc, stmt) } else { Vec::new() };
        let mut ways: Vec<Vec<StmtKind>> = Vec::new();
        for way in ends.into_iter().filter_map(|end| self.written(proc, end)) {
            if ways.len() < KEPT && !ways.contains(&way) {
                ways.push(way);
            }
        }
        let last = self.block_of(stmt, ways.pop()?);
        Some(ways.into_iter().fold(last, |others, way| {
            let way = self.block_of(stmt, way);
            vec![self.stmt(stmt, StmtKind::If(Expr::Any, way, others))]
        }))
    }

    /// The statements that come to such an end.
    fn written(&self, proc: ProcId, end: End) -> Option<Vec<StmtKind>> {
        match end {
            End::Returned(None) => Some(vec![StmtKind::Return(None)]),
            End::Returned(Some(held)) => Some(vec![StmtKind::Return(Some(self.ways.result(proc, held)?))]),
            End::Behind(held) => {
                let changed = held.into_iter().zip(0..).filter(|(held, _)| *held != Held::Before);
                let set = |(held, number)| {
                    let local = LocalId(number);
                    Some(StmtKind::SetLocal(local, self.ways.value(proc, local, held)?))
                };
                changed.map(set).collect()
            }
        }
    }

    fn block_of(&mut self, at: &Stmt, kinds: Vec<StmtKind>) -> Block {
        kinds.into_iter().map(|kind| self.stmt(at, kind)).collect()
    }

    fn stmt(&mut self, at: &Stmt, kind: StmtKind) -> Stmt {
        self.next += 1;
        Stmt { label: Label(self.next - 1), place: at.place, basis: None, kind }
    }
}

/// What a body does, without what it calls.
fn own(body: &Block) -> Touched {
    let mut all = Touched::default();
    each(body, &mut |stmt| touch(stmt, &mut all));
    all
}

fn touch(stmt: &Stmt, all: &mut Touched) {
    let access = |var: VarId| Touch::Access(stmt.place, var);
    match &stmt.kind {
        StmtKind::Read(var) => _ = all.reads.insert(access(*var)),
        StmtKind::Write(var) | StmtKind::Update(var, _) => _ = all.changes.insert(access(*var)),
        StmtKind::SetVar(var, value) => {
            all.changes.insert(access(*var));
            all.reads.extend(vars(value).into_iter().map(access));
        }
        StmtKind::SetLocal(_, value) => all.reads.extend(vars(value).into_iter().map(access)),
        StmtKind::Async { task, .. } => {
            all.reads.insert(Touch::Start(*task));
            all.changes.insert(Touch::Start(*task));
        }
        _ => {}
    }
}

fn vars(expr: &Expr) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    vars_in(expr, &mut found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::passes::simplify;
    use crate::ir::text::parse;
    use crate::limits::Deadline;
    use crate::semantics::Machine;
    use crate::semantics::oracle::{self, Answer, Limits};
    use crate::semantics::random::{self, Shape};

    fn bypassed(text: &str) -> (Program, Program) {
        let program = parse(text, "test.rob").expect("valid");
        let mut few = program.clone();
        bypass(&mut few);
        simplify::tidy(&mut few, Deadline::never());
        (program, few)
    }

    fn is_violated(program: &Program) -> Option<bool> {
        let machine = Machine::new(program).expect("valid");
        let limits = Limits { states: 5_000, tasks: 12, calls: 16, ..Limits::DEFAULT };
        match oracle::serializability(&machine, 2, limits) {
            Answer::Violated => Some(true),
            Answer::Holds => Some(false),
            Answer::TooLarge => None,
        }
    }

    /// A function that is called in many places, each of which is left out on some way: one call is enough.
    #[test]
    fn one_of_many_ways_is_kept() {
        let calls = "t := call told(); if t { call note(); } while * { call note(); } ".repeat(20);
        let text = format!(
            "var seen: bool = false; event e on any {{ {calls} }}
             proc note() {{ if * {{ if !seen {{ seen := true; }} }} }}
             proc told() {{ if * {{ call note(); return true; }} return false; }}"
        );
        let (program, few) = bypassed(&text);
        assert!(few.statements().len() * 5 < program.statements().len(), "{few}");
        assert_eq!(is_violated(&few), Some(true), "{few}");
    }

    /// What is always done is done still, and what a call returns goes with what it has done.
    #[test]
    fn what_cannot_be_left_out_is_kept() {
        let calls = "call note(); ".repeat(5);
        let (_, few) = bypassed(&format!(
            "lock l; var x; event e on any {{ {calls} }} proc note() {{ acquire l; write x; release l; }}"
        ));
        let called = few.statements().into_iter().filter(|stmt| matches!(stmt.kind, StmtKind::Call { .. }));
        assert_eq!(called.count(), 5, "{few}");
        let (_, few) = bypassed(
            "var x; var y; event e on any { call set(); t := call set(); if t { write y; } }
             proc set() { if * { write x; return true; } return false; }",
        );
        assert!(!few.statements().into_iter().any(|stmt| stmt.changed() == Some(VarId(1))), "{few}");
    }

    /// Who calls whom in turn is come to once.
    #[test]
    fn what_is_under_way_is_not_called_again() {
        let (_, few) = bypassed(
            "var x; event e on any { call a(); }
             proc a() { if * { read x; } if * { call b(); } }
             proc b() { if * { write x; } if * { call a(); } }",
        );
        let called = few.statements().into_iter().filter(|stmt| matches!(stmt.kind, StmtKind::Call { .. }));
        assert_eq!(called.count(), 2, "{few}");
    }

    /// What is violated with fewer ways is violated.
    #[test]
    fn it_does_nothing_that_the_whole_does_not() {
        let (mut violated, mut changed) = (0, 0);
        for (seed, shape) in (0..1200).zip([Shape::PAIR, Shape::SELF, Shape::DEEP].into_iter().cycle()) {
            let program = random::program(&random::bytes(seed), shape);
            let mut few = program.clone();
            if !bypass(&mut few) {
                continue;
            }
            changed += 1;
            if is_violated(&few) == Some(true) {
                violated += 1;
                assert_ne!(is_violated(&program), Some(false), "{program}\n{few}");
            }
        }
        assert!(changed > 15 && violated > 5, "{violated} of {changed}");
    }
}
