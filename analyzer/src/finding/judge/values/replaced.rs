//! Variables with a lock each that are one thing in two places: whoever replaces the one replaces the other, too.

use std::collections::BTreeSet;

use crate::finding::belonging::{have_own_locks, tasks};
use crate::finding::violation::{Held, Violation};
use crate::ir::calls::Calls;
use crate::ir::{Basis, StmtKind, VarId};

/// Whether the pivot's event looks at two variables under a lock each, and somebody is told what it makes of both, and all who change one of them
/// put something new in its place, whatever it held, and in that of the other one, too: what is told is of neither.
pub(in crate::finding) fn are_replaced_together(
    violation: &Violation<'_>,
    first: &Held,
    last: &Held,
) -> bool {
    first.reads()
        && last.reads()
        && first.task == last.task
        && first.access.var != last.access.var
        && have_own_locks(first, last)
        && violation.are_told_together(first, last)
        && violation.recurring([first, last]).is_none()
        && all_replace_both(violation, [first.access.var, last.access.var])
}

fn all_replace_both(violation: &Violation<'_>, both: [VarId; 2]) -> bool {
    let program = violation.program;
    let calls = Calls::new(program);
    let mut any = false;
    for task in tasks(violation) {
        let mut replaced = [false; 2];
        for stmt in calls.reachable(task).into_iter().flat_map(|proc| program.proc(proc).statements()) {
            let Some(var) = stmt.changed() else { continue };
            let Some(number) = both.iter().position(|one| *one == var) else { continue };
            let whole = !matches!(stmt.kind, StmtKind::Update(..));
            if !whole || !program.basis_of(stmt).is_some_and(replaces) {
                return false;
            }
            replaced[number] = true;
        }
        if replaced[0] != replaced[1] {
            return false;
        }
        any |= replaced[0];
    }
    any
}

/// Whether all who change one of two variables change the other one, too.
pub(in crate::finding) fn all_change_both(violation: &Violation<'_>, both: [VarId; 2]) -> bool {
    let program = violation.program;
    let calls = Calls::new(program);
    tasks(violation).into_iter().all(|task| {
        let statements = calls.reachable(task).into_iter().flat_map(|proc| program.proc(proc).statements());
        let changed: BTreeSet<VarId> = statements.filter_map(|stmt| stmt.changed()).collect();
        changed.contains(&both[0]) == changed.contains(&both[1])
    })
}

/// Whether a change leaves nothing of what was there.
fn replaces(basis: &Basis) -> bool {
    basis.change.is_none() && basis.by.is_none() && !basis.exchange
}
