//! Work that is left to somebody who is about to stop: who has put something in, and sees that somebody is at work, does nothing more.

use super::Role;
use super::violation::{Held, Violation};
use crate::ir::{Change, Value};

/// Whether a look because of which nothing is done, as somebody is at work, has another part in a violation than that this one has found nothing more
/// to do by then.
pub fn leaves_work_otherwise(violation: &Violation<'_>) -> bool {
    let mut on_cycle = violation.held.iter().filter(|held| held.role != Role::Step);
    on_cycle.any(|held| leaves_work(violation, held)) && !stops_working(violation)
}

/// Whether who has found nothing more to do says that it has stopped, and others have put something in since, and have left it at that because
/// they have seen it at work.
pub(super) fn stops_working(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let takes_out = [Change::Take, Change::Remove, Change::Clear].map(Some);
    let puts = |held: &Held| {
        !held.reads() && violation.basis(held).is_some_and(|basis| !takes_out.contains(&basis.change))
    };
    let leaves_it = |look: &Held| {
        let mut own = violation.before(look).filter(|held| held.instance == look.instance);
        leaves_work(violation, look) && own.any(|held| held.access.var == first.access.var && puts(held))
    };
    let misses = violation.basis(first).is_some_and(|basis| basis.misses);
    first.task == last.task
        && first.access.var != last.access.var
        && misses
        && first.reads()
        && !last.reads()
        && violation.met(first).all(puts)
        && violation.met(last).all(leaves_it)
}

/// Whether an access finds somebody at work, to whom its event leaves what there is to do.
fn leaves_work(violation: &Violation<'_>, look: &Held) -> bool {
    let stopped = violation.basis(look).and_then(|basis| basis.leaving).filter(|_| look.reads());
    let var = look.access.var;
    let changes = violation.before(look).filter(|held| held.access.var == var && !held.reads());
    let left = changes.last().map(|change| change.leaves);
    stopped.is_some_and(|stopped| match left {
        Some(left) => left != Some(stopped),
        None => !violation.program.vars[var.index()].is_first(Value::Bool(stopped)),
    })
}
