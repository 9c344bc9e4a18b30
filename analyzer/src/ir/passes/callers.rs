//! Which procedures do something, directly or by calls: found from those that do it, up to their callers.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::walk::each;
use crate::ir::{Proc, ProcId, ProcKind, Program, Stmt, StmtKind};

/// Who leads to whom.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// Callers to what they call.
    Calls,
    /// And to the tasks that they start.
    CallsAndTasks,
}

/// By procedure: those that lead to it, once for each statement that does.
fn leading(program: &Program, by: By) -> BTreeMap<ProcId, Vec<ProcId>> {
    let mut found: BTreeMap<ProcId, Vec<ProcId>> = BTreeMap::new();
    for (id, proc) in procs(program) {
        each(&proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::Call { proc, .. } => found.entry(*proc).or_default().push(id),
            StmtKind::Async { task, .. } if by == By::CallsAndTasks => {
                found.entry(*task).or_default().push(id);
            }
            _ => {}
        });
    }
    found
}

fn procs(program: &Program) -> impl Iterator<Item = (ProcId, &Proc)> {
    program.procs.iter().enumerate().map(|(index, proc)| (ProcId(index as u32), proc))
}

/// The procedures that have such a statement, or lead to one that has.
pub(crate) fn doing(program: &Program, by: By, mut does: impl FnMut(&Stmt) -> bool) -> BTreeSet<ProcId> {
    let mut found = BTreeSet::new();
    for (id, proc) in procs(program) {
        each(&proc.body, &mut |stmt| {
            if does(stmt) {
                found.insert(id);
            }
        });
    }
    with_callers(program, by, found)
}

/// These procedures, and those that lead to one of them.
fn with_callers(program: &Program, by: By, mut these: BTreeSet<ProcId>) -> BTreeSet<ProcId> {
    if these.is_empty() {
        return these;
    }
    let leading = leading(program, by);
    let mut work: Vec<ProcId> = these.iter().copied().collect();
    while let Some(proc) = work.pop() {
        let callers = leading.get(&proc).into_iter().flatten();
        work.extend(callers.filter(|caller| these.insert(**caller)));
    }
    these
}

/// The procedures that call themselves, directly or by calls, or call one that does.
pub(crate) fn recursive(program: &Program) -> BTreeSet<ProcId> {
    let leading = leading(program, By::Calls);
    let mut calls = vec![0; program.procs.len()];
    leading.values().flatten().for_each(|caller| calls[caller.index()] += 1);
    // Those that call nobody are none, nor are those that call only such, and so on.
    let mut left: BTreeSet<ProcId> = procs(program).map(|(id, _)| id).collect();
    let mut work: Vec<ProcId> = left.iter().copied().filter(|id| calls[id.index()] == 0).collect();
    while let Some(proc) = work.pop() {
        left.remove(&proc);
        for caller in leading.get(&proc).into_iter().flatten() {
            calls[caller.index()] -= 1;
            if calls[caller.index()] == 0 {
                work.push(*caller);
            }
        }
    }
    left
}

/// Empties the events and tasks that call one of these procedures, of which not all is there: without the lock that its callee takes, a
/// caller would seem to do what it does not. Says which they are.
pub(crate) fn leave_out(program: &mut Program, missing: &BTreeSet<ProcId>) -> Vec<ProcId> {
    let mut gone: Vec<ProcId> = with_callers(program, By::Calls, missing.clone()).into_iter().collect();
    gone.retain(|proc| !matches!(program.proc(*proc).kind, ProcKind::Proc));
    gone.iter().for_each(|proc| program.procs[proc.index()].body.clear());
    gone
}
