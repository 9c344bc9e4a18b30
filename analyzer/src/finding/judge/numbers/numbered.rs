//! Numbers of one's own: who makes a number one more, and looks at it again to tell its caller which one it is, tells two callers the same.

use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Change, Count, Number};

/// Whether the pivot's event has made something one more, or one less, that it looks at again to tell its caller how many there are, and
/// others have done the very same in between: two are told that they are the last, or get one number.
pub(in crate::finding) fn is_numbered_alike(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let is = |held: &Held, what: fn(&Basis) -> bool| violation.basis(held).is_some_and(what);
    // How many are left, or are there under their keys, is for the reader; whether that is none, or but one, is not.
    let counts_up = |basis: &Basis| match basis.change {
        Some(change) => !basis.keyed && change.puts_in(),
        None => basis.counts == Some(Count::Up),
    };
    let numbers = |basis: &Basis| match basis.number {
        Some(Number::Compared) => true,
        Some(Number::Plain) => is(first, counts_up),
        None => false,
    };
    // What is told together with something else is a picture of how things are, not a number of one's own.
    let tells = |basis: &Basis| {
        basis.given_out && basis.returned && !basis.keyed && basis.told_with.is_empty() && numbers(basis)
    };
    // Who is told of the change itself what there was knows its number.
    let blind = |basis: &Basis| !basis.given_out && !basis.branches && !basis.exchange;
    let steps = |basis: &Basis| match basis.change {
        Some(Change::Put | Change::Set | Change::Take | Change::Remove) => true,
        Some(Change::Clear) => false,
        None => basis.counts.is_some(),
    };
    let knows = |held: &Held| {
        held.reads()
            && held.instance == last.instance
            && held.access.var == first.access.var
            && held.is_at_once_with(first)
            && is(held, |basis| basis.branches || basis.given_out)
    };
    !first.reads()
        && last.reads()
        && first.access.var == last.access.var
        && first.task == last.task
        && is(first, blind)
        && is(first, steps)
        && violation.basis(last).is_some_and(tells)
        && !violation.before(last).any(knows)
        && violation.by_others(last).any(|held| held.label == first.label)
}
