//! Words of protocols without locks.

use crate::finding::enlisted::{goes_to_sleep, looks_again};
use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Causes};
use crate::semantics::AccessKind;

/// A word of a protocol without locks that is torn apart, or exchanged by the event in between. Such protocols go by several
/// words, by the order of their changes, and by who may make which; what they look at once may be out of date by design. But who plainly
/// stores what it made of what it read, or something of its own because of that, or adds to it blindly, means both as one piece, whatever others
/// do to the word.
pub(in crate::finding) fn word<'v>(
    violation: &'v Violation<'_>,
    first: &'v Held,
    last: &'v Held,
) -> Option<&'v Held> {
    let unmet =
        violation.basis(last).zip(first.basis).is_some_and(|(last, first)| last.unmet.contains(&first));
    if unmet
        || is_made_anew(violation, first, last)
        || is_added_blindly(violation, first, last)
        || goes_to_sleep(violation, first, last)
    {
        return None;
    }
    let is_word = |held: &&Held| violation.basis(held).is_some_and(|basis| basis.protocol);
    // That its event has a thread to itself keeps nobody else from the word.
    let free = |held: &&Held| !held.is_locked();
    let torn = [first, last].into_iter().filter(free).find(is_word);
    let exchanged = || violation.exchanges_between(first, last).find(free);
    torn.or_else(|| exchanged().filter(|_| free(&first) && free(&last)))
}

/// Whether a value is read, and another one stored in its place that was made of it, by who never looks whether it is there still: who has won
/// a compare-exchange may have the word to itself. Or because of it something is stored that is not the same whoever stores it: the states that a
/// protocol goes through are, those who take a place are not.
fn is_made_anew(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let stores =
        first.reads() && last.access.kind == AccessKind::Write && first.access.var == last.access.var;
    let among = |causes: &Causes| first.basis.is_some_and(|first| causes.name(first));
    let made_of = |basis: &Basis| {
        !basis.exchange && (among(&basis.data) || basis.stores.is_none() && among(&basis.branch))
    };
    let exchanges = |held: &Held| violation.basis(held).is_some_and(|basis| basis.exchange);
    let mut own = violation.held.iter().filter(|held| held.instance == last.instance);
    stores && violation.basis(last).is_some_and(made_of) && !own.any(exchanges)
}

/// Whether a number is looked at, and then added to, or taken from, because of that, by who does not learn from the change what was there by then and does
/// not look again, while others do the same: a limit that a look kept is none.
fn is_added_blindly(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let counts = |held: &Held| violation.basis(held).and_then(|basis| basis.counts);
    let blind = |basis: &Basis| {
        let used = basis.branches || basis.decides || basis.told || basis.given_out;
        !basis.exchange && !used && first.basis.is_some_and(|first| basis.branch.name(first))
    };
    let exchanges = |held: &Held| violation.basis(held).is_some_and(|basis| basis.exchange);
    let mut own = violation.held.iter().filter(|held| held.instance == last.instance);
    let mut others = violation.by_others(last).filter(|held| held.access.var == last.access.var);
    first.reads()
        && !last.reads()
        && first.access.var == last.access.var
        && counts(last).is_some()
        && violation.basis(last).is_some_and(blind)
        && others.any(|held| counts(held) == counts(last))
        && !own.any(exchanges)
        && !looks_again(violation, last, last.access.var, |basis| basis.branches)
}
