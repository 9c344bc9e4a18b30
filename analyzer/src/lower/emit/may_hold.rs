//! Which locks a task may hold where it is at a variable, on some path.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::ir::walk::vars_in;
use crate::ir::{Block, Expr, LockId, ProcId, Program, StmtKind, VarId};

/// Deeper calls are not looked into.
const MAX_DEPTH: usize = 64;

/// What tasks may hold.
#[derive(Default)]
pub(super) struct Held {
    /// By variable: the locks that may be held at it.
    pub at: BTreeMap<VarId, BTreeSet<LockId>>,
    /// Locks that are taken in each round of a loop, and kept: those of all elements of something.
    pub all: BTreeSet<LockId>,
}

/// What these tasks, with what they call, may hold at which variables.
pub(super) fn may_hold(program: &Program, tasks: &BTreeSet<ProcId>) -> Held {
    let mut walk = Walk { program, found: Held::default(), behind: HashMap::new(), returned: Vec::new() };
    for task in tasks {
        walk.call(*task, BTreeSet::new());
    }
    walk.found
}

struct Walk<'p> {
    program: &'p Program,
    found: Held,
    /// By procedure, and what is held as it is called: what may be held behind it.
    behind: HashMap<(ProcId, BTreeSet<LockId>), BTreeSet<LockId>>,
    /// For each call under way: what may be held where it returns.
    returned: Vec<BTreeSet<LockId>>,
}

impl Walk<'_> {
    fn call(&mut self, proc: ProcId, held: BTreeSet<LockId>) -> BTreeSet<LockId> {
        let asked = (proc, held.clone());
        if let Some(behind) = self.behind.get(&asked) {
            return behind.clone();
        }
        // Where a procedure calls itself, this is what it leaves.
        self.behind.insert(asked.clone(), held.clone());
        if self.returned.len() < MAX_DEPTH {
            self.returned.push(BTreeSet::new());
            let mut behind = self.block(&self.program.proc(proc).body, held);
            behind.extend(self.returned.pop().into_iter().flatten());
            self.behind.insert(asked.clone(), behind);
        }
        self.behind[&asked].clone()
    }

    fn block(&mut self, block: &Block, mut held: BTreeSet<LockId>) -> BTreeSet<LockId> {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Acquire(lock, _) => {
                    held.insert(*lock);
                }
                StmtKind::Release(lock) => {
                    held.remove(lock);
                }
                StmtKind::Read(var) | StmtKind::Write(var) | StmtKind::Update(var, _) => self.at(*var, &held),
                StmtKind::SetVar(var, value) => {
                    self.at(*var, &held);
                    self.look(value, &held);
                }
                StmtKind::SetLocal(_, value) | StmtKind::Assume(value) => self.look(value, &held),
                StmtKind::If(value, yes, no) => {
                    self.look(value, &held);
                    let (yes, no) = (self.block(yes, held.clone()), self.block(no, held));
                    held = &yes | &no;
                }
                StmtKind::While(value, body) => {
                    self.look(value, &held);
                    held = self.rounds(body, held);
                }
                StmtKind::Loop(_, body) => held = self.rounds(body, held),
                StmtKind::Call { proc, args, .. } => {
                    args.iter().for_each(|value| self.look(value, &held));
                    held = self.call(*proc, held);
                }
                StmtKind::Return(value) => {
                    value.iter().for_each(|value| self.look(value, &held));
                    self.returned.last_mut().into_iter().for_each(|returned| returned.extend(&held));
                    return BTreeSet::new();
                }
                _ => {}
            }
        }
        held
    }

    /// Any number of rounds of a loop.
    fn rounds(&mut self, body: &Block, mut held: BTreeSet<LockId>) -> BTreeSet<LockId> {
        loop {
            let behind = self.block(body, held.clone());
            self.found.all.extend(behind.difference(&held));
            if behind.is_subset(&held) {
                return held;
            }
            held.extend(behind);
        }
    }

    fn look(&mut self, value: &Expr, held: &BTreeSet<LockId>) {
        let mut vars = BTreeSet::new();
        vars_in(value, &mut vars);
        vars.into_iter().for_each(|var| self.at(var, held));
    }

    fn at(&mut self, var: VarId, held: &BTreeSet<LockId>) {
        self.found.at.entry(var).or_default().extend(held);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;

    #[test]
    fn what_some_path_holds_may_be_held() {
        let source = "lock l; lock m; var x; var y; var z;
            event e on any { if * { acquire l; } call p(); while * { read y; acquire m; } read z; }
            proc p() { read x; if * { release l; return; } release l; }";
        let program = text::parse(source, "test.rob").expect("valid");
        let held = may_hold(&program, &program.events().collect());
        let of = |var: u32| held.at[&VarId(var)].iter().map(|lock| lock.0).collect::<Vec<_>>();
        assert_eq!([of(0), of(1), of(2)], [vec![0], vec![1], vec![1]]);
        assert_eq!(held.all, BTreeSet::from([LockId(1)]));
    }
}
