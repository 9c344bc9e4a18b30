//! Numbers that are less than nothing for a while: something is put in and only then counted, and whoever takes it out has counted it off by then.

use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Change, Count};

/// Whether the pivot's event has put something in that it counts only now, somebody has taken it out and counted it off, and somebody else goes
/// by the number in between.
pub(in crate::finding) fn is_counted_late(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let is = |held: &Held, wanted: &dyn Fn(&Basis) -> bool| violation.basis(held).is_some_and(wanted);
    let counts = |held: &Held, count: Count| !held.reads() && is(held, &|basis| basis.counts == Some(count));
    let puts = !first.reads()
        && is(first, &|basis| basis.change.is_none_or(Change::puts_in) && basis.counts.is_none());
    let apart = first.access.var != last.access.var && violation.recurring([first, last]).is_none();
    if !puts || !apart || first.task != last.task || !counts(last, Count::Up) {
        return false;
    }
    let others = || violation.between(first, last).filter(|held| held.instance != first.instance);
    let takes = |held: &&Held| {
        held.access.var == first.access.var && is(held, &|basis| basis.change == Some(Change::Take))
    };
    // What is counted off is what was found to take.
    let off = |down: &&Held| {
        let taken = |take: &Held| {
            take.instance == down.instance
                && take.basis.is_some_and(|take| is(down, &|basis| basis.depends_on(take)))
        };
        down.access.var == last.access.var && counts(down, Count::Down) && others().filter(takes).any(taken)
    };
    others().skip_while(|held| !off(held)).any(|held| {
        held.reads()
            && held.access.var == last.access.var
            && is(held, &|basis| basis.asserts || basis.decides)
    })
}
