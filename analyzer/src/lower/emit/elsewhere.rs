//! The same event with another lock: that of another object, at nothing of whose own it is.
//!
//! Locks of objects, of elements and of calls are one lock each (see [`Whose`]). Where an event holds one of them while it is at something that
//! many such objects share, there is one more event, which does the same with the lock of another object. Of what it does, only that is
//! kept which may be to the same things as what the first one does; all else is its own object's, and may be anything.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::calls::Calls;
use crate::ir::walk::{each, with_any};
use crate::ir::{Block, Expr, LockId, Proc, ProcId, ProcKind, StmtKind, VarId};
use crate::lower::sharing::whose::Whose;
use crate::world::points::heap::LocId;
use crate::world::points::names::unique;
use crate::world::units::UnitId;

use super::emitter::Emitter;
use super::may_hold::may_hold;

/// More such events are not made of one.
const MOST: usize = 4;

/// What another object has of its own.
struct Other {
    /// It is what a method is called on.
    is_object: bool,
    /// Its locks, by those that they are in the first object's place.
    locks: BTreeMap<LockId, LockId>,
    /// What is none of its own.
    common: BTreeSet<VarId>,
    copies: BTreeMap<ProcId, ProcId>,
}

impl Emitter<'_, '_> {
    /// Makes such events. How many there was no time or room for.
    pub fn elsewhere(&mut self, whose: &Whose<'_, '_>) -> usize {
        let mut left_out = 0;
        let mut locations: BTreeMap<LockId, Vec<LocId>> = BTreeMap::new();
        self.locks.iter().for_each(|(loc, lock)| locations.entry(*lock).or_default().push(*loc));
        let calls = Calls::new(&self.program);
        let mut others: BTreeMap<LockId, LockId> = BTreeMap::new();
        for (unit, proc) in self.unit_procs.clone() {
            let ProcKind::Event { once: false, alone: false, .. } = self.program.proc(proc).kind else {
                continue;
            };
            // Where little is told apart, locks are not, and there are too many such events to walk through.
            if self.flow.is_late() || self.flow.is_coarse() {
                left_out += 1;
                continue;
            }
            let tasks = self.with_tasks(&calls, proc);
            let held = may_hold(&self.program, &tasks);
            // Who has the locks of all elements keeps everybody away.
            let is_other = |lock: LockId, var: VarId| {
                let Some(locations) = locations.get(&lock) else { return false };
                var.index() < self.sharing.vars.len()
                    && !held.all.contains(&lock)
                    && locations.iter().all(|loc| whose.is_other(unit, *loc, var.index()))
            };
            let others_at = |(var, locks): (&VarId, &BTreeSet<LockId>)| -> BTreeSet<LockId> {
                locks.iter().copied().filter(|lock| is_other(*lock, *var)).collect()
            };
            let mut wanted: BTreeSet<BTreeSet<LockId>> = held.at.iter().map(others_at).collect();
            wanted.remove(&BTreeSet::new());
            left_out += wanted.len().saturating_sub(MOST);
            for locks in wanted.into_iter().take(MOST) {
                let common = held.at.keys().copied().filter(|var| {
                    var.index() >= self.sharing.vars.len() || locks.iter().all(|lock| is_other(*lock, *var))
                });
                let common: BTreeSet<VarId> = common.collect();
                for lock in &locks {
                    let name = format!("another {}", self.program.locks[lock.index()].name);
                    if !others.contains_key(lock) {
                        others.insert(*lock, self.lock(&name));
                    }
                }
                let of_objects = |lock: &LockId| locations[lock].iter().any(|loc| whose.is_of_objects(*loc));
                let is_object = locks.iter().any(of_objects);
                let locks = locks.iter().map(|lock| (*lock, others[lock])).collect();
                self.copy_elsewhere(unit, proc, Other { is_object, locks, common, copies: BTreeMap::new() });
            }
        }
        left_out
    }

    /// A task, and those that it starts, and what these start.
    fn with_tasks(&self, calls: &Calls, first: ProcId) -> BTreeSet<ProcId> {
        let (mut tasks, mut open) = (BTreeSet::from([first]), vec![first]);
        while let Some(task) = open.pop() {
            for proc in calls.reachable(task) {
                each(&self.program.proc(proc).body, &mut |stmt| match &stmt.kind {
                    StmtKind::Async { task, .. } if tasks.insert(*task) => open.push(*task),
                    _ => {}
                });
            }
        }
        tasks
    }

    fn copy_elsewhere(&mut self, unit: UnitId, proc: ProcId, mut other: Other) {
        let inst = self.units.units[unit.0].inst;
        let kind = self.program.proc(proc).kind;
        let what = if other.is_object { "on another object" } else { "with another lock" };
        let copy = self.declare_as(what, inst, kind);
        let first = self.program.proc(proc).clone();
        other.copies.insert(proc, copy);
        let body = self.done_elsewhere(&first.body, &mut other);
        let into = &mut self.program.procs[copy.index()];
        *into = Proc { name: into.name.clone(), body, elsewhere: other.is_object, ..first };
    }

    fn proc_elsewhere(&mut self, proc: ProcId, other: &mut Other) -> ProcId {
        if let Some(&copy) = other.copies.get(&proc) {
            return copy;
        }
        let copy = ProcId(self.program.procs.len() as u32);
        other.copies.insert(proc, copy);
        let old = self.program.proc(proc).clone();
        let name = unique(&mut self.names, old.name.clone());
        self.program.procs.push(Proc { name, body: Vec::new(), ..old.clone() });
        let body = self.done_elsewhere(&old.body, other);
        self.program.procs[copy.index()].body = body;
        copy
    }

    fn done_elsewhere(&mut self, block: &Block, other: &mut Other) -> Block {
        let mut done = Vec::new();
        for stmt in block {
            let lock = |lock: &LockId| other.locks.get(lock).copied().unwrap_or(*lock);
            let any = |value: &Expr| with_any(value, &|var| !other.common.contains(&var));
            let kind = match &stmt.kind {
                StmtKind::Read(var)
                | StmtKind::Write(var)
                | StmtKind::Update(var, _)
                | StmtKind::SetVar(var, _)
                    if !other.common.contains(var) =>
                {
                    continue;
                }
                StmtKind::Acquire(of, mode) => StmtKind::Acquire(lock(of), *mode),
                StmtKind::Release(of) => StmtKind::Release(lock(of)),
                StmtKind::SetVar(var, value) => StmtKind::SetVar(*var, any(value)),
                StmtKind::SetLocal(local, value) => StmtKind::SetLocal(*local, any(value)),
                StmtKind::Assume(value) => StmtKind::Assume(any(value)),
                StmtKind::Return(value) => StmtKind::Return(value.as_ref().map(any)),
                StmtKind::Call { proc, args, result } => {
                    let args = args.iter().map(any).collect();
                    StmtKind::Call { proc: self.proc_elsewhere(*proc, other), args, result: *result }
                }
                StmtKind::Async { task, args, handle } => {
                    let args = args.iter().map(any).collect();
                    StmtKind::Async { task: self.proc_elsewhere(*task, other), args, handle: *handle }
                }
                StmtKind::If(value, yes, no) => {
                    let value = any(value);
                    let (yes, no) = (self.done_elsewhere(yes, other), self.done_elsewhere(no, other));
                    StmtKind::If(value, yes, no)
                }
                StmtKind::While(value, body) => {
                    let value = any(value);
                    StmtKind::While(value, self.done_elsewhere(body, other))
                }
                StmtKind::Loop(times, body) => StmtKind::Loop(*times, self.done_elsewhere(body, other)),
                kind => kind.clone(),
            };
            let basis = stmt.basis;
            done.push(crate::ir::Stmt { basis, ..self.stmt(stmt.place, kind) });
        }
        done
    }
}
