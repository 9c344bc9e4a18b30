//! All that a task does that serves: what it puts in before its rounds, and takes out after them.
//!
//! The rounds of a loop that waits for the outside are events of their own, and so is what comes before the loop. What a connection put
//! under its key when it began, it takes out when it ends; meanwhile another one may have put something else under that key. No event
//! has both changes, so one is made that has them, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::walk::{each, each_mut, with_any};
use crate::ir::{Basis, BasisId, Block, Course, Expr, Own, Proc, ProcId, ProcKind, Stmt, StmtKind};
use crate::world::units::UnitId;

use super::emitter::Emitter;

impl Emitter<'_, '_> {
    /// Makes an event of each two changes of a task that serves, of which the later one takes back the earlier.
    pub fn wholes(&mut self) {
        for (id, unit) in self.units.units.iter().enumerate() {
            let (Some(_), Some(parent)) = (unit.part, unit.parent) else { continue };
            let Some(&after) = self.unit_procs.get(&UnitId(id)) else { continue };
            let mut back = self.changes(after);
            back.retain(|id| !self.bases.list[id.index()].undoes.is_empty());
            if back.is_empty() {
                continue;
            }
            let starter = self.units.units[parent.0].parent;
            let others = self.units.units.iter().enumerate().filter(|(other, unit)| {
                *other == parent.0
                    || starter == Some(UnitId(*other))
                    || *other != id && unit.parent == Some(parent) && unit.part.is_some()
            });
            let before: Vec<ProcId> =
                others.filter_map(|(other, _)| self.unit_procs.get(&UnitId(other)).copied()).collect();
            for before in before {
                for put in self.changes(before) {
                    let undoes = |back: &&BasisId| self.bases.list[back.index()].undoes.contains(&put);
                    for back in back.iter().filter(undoes) {
                        self.whole(parent, (before, put), (after, *back));
                    }
                }
            }
        }
    }

    /// The changes that a procedure makes, and those that it calls.
    fn changes(&self, proc: ProcId) -> BTreeSet<BasisId> {
        let (mut reached, mut open, mut found) = (BTreeSet::from([proc]), vec![proc], BTreeSet::new());
        while let Some(proc) = open.pop() {
            each(&self.program.proc(proc).body, &mut |stmt| match &stmt.kind {
                StmtKind::Write(_) | StmtKind::Update(..) => found.extend(stmt.basis),
                StmtKind::Call { proc, .. } if reached.insert(*proc) => open.push(*proc),
                _ => {}
            });
        }
        found
    }

    /// An event of two changes, each with what is held for it.
    fn whole(&mut self, unit: UnitId, before: (ProcId, BasisId), after: (ProcId, BasisId)) {
        let kind = self.program.proc(after.0).kind;
        let first = self.program.procs.len();
        let mut body = Vec::new();
        for (proc, kept) in [before, after] {
            let part = self.sliced(proc, kept, &mut BTreeMap::new());
            let call = StmtKind::Call { proc: part, args: Vec::new(), result: None };
            body.push(self.stmt(None, call));
        }
        self.with_own_key(first, before.1, after.1);
        let whole = self.declare_as("from start to end", self.units.units[unit.0].inst, kind);
        let proc = &mut self.program.procs[whole.index()];
        (proc.body, proc.course) = (body, Course::Whole);
    }

    /// Says that both changes of an event are under a key that each such event has for itself, if it is one that was made for its task: in
    /// procedures from this one on, which are the event's alone.
    fn with_own_key(&mut self, first: usize, put: BasisId, back: BasisId) {
        let bases = &self.bases.list;
        let (put_in, taken_out) = (&bases[put.index()], &bases[back.index()]);
        let (Some(at_first), Some(later)) = (put_in.own, taken_out.own) else { return };
        if at_first.key != later.key {
            return;
        }
        let next = (self.bases_of_tasks() + bases.len() + self.of_wholes.len()) as u32;
        let (new_put, new_back) = (BasisId(next), BasisId(next + 1));
        let own = Some(Own { inside: true, ..later });
        let undoes = taken_out.undoes.iter().copied().chain([new_put]).collect();
        let put_in = Basis { own, ..put_in.clone() };
        let taken_out = Basis { own, undoes, ..taken_out.clone() };
        self.of_wholes.extend([put_in, taken_out]);
        for proc in &mut self.program.procs[first..] {
            each_mut(&mut proc.body, &mut |stmt| {
                stmt.basis = stmt.basis.map(|basis| match basis {
                    basis if basis == put => new_put,
                    basis if basis == back => new_back,
                    basis => basis,
                });
            });
        }
    }

    /// A copy of a procedure with the locks that it takes, one access and the looks that it depends on, and nothing else.
    fn sliced(&mut self, proc: ProcId, kept: BasisId, known: &mut BTreeMap<ProcId, ProcId>) -> ProcId {
        if let Some(&copy) = known.get(&proc) {
            return copy;
        }
        let copy = ProcId(self.program.procs.len() as u32);
        known.insert(proc, copy);
        let old = self.program.proc(proc).clone();
        self.program.procs.push(Proc {
            name: format!("{}@{}", old.name, copy.0),
            kind: ProcKind::Proc,
            body: Vec::new(),
            ..old.clone()
        });
        let body = self.slice(&old.body, kept, known);
        self.program.procs[copy.index()].body = body;
        copy
    }

    fn slice(&mut self, block: &Block, kept: BasisId, known: &mut BTreeMap<ProcId, ProcId>) -> Block {
        let mut slice = Vec::new();
        for stmt in block {
            let is_kept = stmt
                .basis
                .is_some_and(|basis| basis == kept || self.bases.list[kept.index()].depends_on(basis));
            let any = |value: &Expr| if is_kept { value.clone() } else { with_any(value, &|_| true) };
            let kind = match &stmt.kind {
                StmtKind::Read(_) | StmtKind::Write(_) | StmtKind::Update(..) | StmtKind::SetVar(..)
                    if is_kept =>
                {
                    stmt.kind.clone()
                }
                StmtKind::Acquire(..) | StmtKind::Release(_) => stmt.kind.clone(),
                StmtKind::SetLocal(local, value) => StmtKind::SetLocal(*local, any(value)),
                StmtKind::Assume(value) => StmtKind::Assume(any(value)),
                StmtKind::Return(value) => StmtKind::Return(value.as_ref().map(any)),
                StmtKind::Call { proc, args, result } => {
                    let args = args.iter().map(any).collect();
                    StmtKind::Call { proc: self.sliced(*proc, kept, known), args, result: *result }
                }
                StmtKind::If(value, yes, no) => {
                    let (yes, no) = (self.slice(yes, kept, known), self.slice(no, kept, known));
                    StmtKind::If(any(value), yes, no)
                }
                StmtKind::While(value, body) => StmtKind::While(any(value), self.slice(body, kept, known)),
                StmtKind::Loop(times, body) => StmtKind::Loop(*times, self.slice(body, kept, known)),
                _ => continue,
            };
            slice.push(Stmt { basis: stmt.basis.filter(|_| is_kept), ..self.stmt(stmt.place, kind) });
        }
        slice
    }
}
