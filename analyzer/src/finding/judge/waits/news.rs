//! News that nobody gets: who looks at how things are, and only then enters itself among those who are told of changes, is told nothing of
//! what has changed in between.

use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Change};

/// Whether the pivot's event passes on what it has seen, and then enters a listener, and somebody in between changes what was seen and tells those
/// who listen by then.
pub(in crate::finding) fn misses_news(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let passed_on = |basis: &Basis| basis.returned || basis.told;
    let puts = |basis: &Basis| basis.change.is_some_and(Change::puts_in);
    let listener = |basis: &Basis| basis.listens && puts(basis);
    let listens = || violation.basis(last).is_some_and(listener) || violation.begins_to_wait(last);
    let enters = |held: &Held| !held.reads() && violation.basis(held).is_some_and(puts);
    let others = || violation.between(first, last).filter(|held| held.instance != first.instance);
    let tells = |changed: &Held| {
        others().skip_while(|held| !std::ptr::eq(*held, changed)).any(|held| {
            held.instance == changed.instance && held.access.var == last.access.var && !enters(held)
        })
    };
    first.reads()
        && violation.basis(first).is_some_and(passed_on)
        && listens()
        && first.task == last.task
        && first.access.var != last.access.var
        && violation.recurring([first, last]).is_none()
        && others().any(|held| !held.reads() && held.access.var == first.access.var && tells(held))
}
