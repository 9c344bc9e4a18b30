//! Who closes something says so, and then empties it, so that nobody waits for what is in there. What is put in by somebody who has asked before that, and
//! comes after it, stays for ever: a message that is never answered, a request that nobody is told to give up.

use crate::finding::reliance::adds;
use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Change};

/// Whether the pivot's event puts something in because a flag allowed that, and somebody in between has set the flag, and then taken out what there was.
pub(in crate::finding) fn comes_after_the_end(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let is = |held: &Held, what: fn(&Basis) -> bool| violation.basis(held).is_some_and(what);
    let puts =
        |held: &Held| is(held, |basis| basis.change.is_some_and(Change::puts_in)) || adds(violation, held);
    let empties = |basis: &Basis| {
        let all = |change: Change| matches!(change, Change::Clear | Change::Take | Change::Remove);
        basis.change.is_some_and(all) && !basis.keyed
    };
    let goes_by = violation.basis(last).zip(first.basis).is_some_and(|(last, first)| last.branch.name(first));
    let others = || violation.between(first, last).filter(|held| held.instance != first.instance);
    // The flag first: who empties it before it is closed knows that more may come.
    let closes = |closed: &Held| {
        !closed.reads()
            && closed.access.var == first.access.var
            && others().skip_while(|held| !std::ptr::eq(*held, closed)).skip(1).any(|held| {
                held.instance == closed.instance && held.access.var == last.access.var && is(held, empties)
            })
    };
    first.reads()
        && !last.reads()
        && first.task == last.task
        && first.access.var != last.access.var
        && goes_by
        && puts(last)
        && others().any(closes)
}
