//! Entries that are looked for again under their key, in the critical section of the change that goes by what was seen of them before.

use super::violation::{Held, Violation};
use crate::ir::{Basis, BasisId, By, Change, Program};

/// Whether others have done nothing to a collection in between but take something out, and a change is decided by a look again for the entry
/// that it is to.
pub(super) fn is_found_if_left(
    violation: &Violation<'_>,
    (first, last): (&Held, &Held),
    change: &Basis,
    again: &[BasisId],
) -> bool {
    let keyed = |look: &Basis| look.keyed && look.change.is_none();
    let finds = |look: &BasisId| {
        change.branch.name(*look) && violation.program.bases.get(look.index()).is_some_and(keyed)
    };
    let takes_out = |held: &Held| {
        let change = violation.basis(held).and_then(|basis| basis.change);
        matches!(change, Some(Change::Remove | Change::Clear))
    };
    let mut others = violation
        .between(first, last)
        .filter(|held| held.instance != last.instance && held.access.var == first.access.var)
        .filter(|held| !held.reads())
        .peekable();
    change.change.is_none() && again.iter().any(finds) && others.peek().is_some() && others.all(takes_out)
}

/// Whether a change is decided by one of these looks again at an entry that was found in what was seen.
pub(super) fn is_found_again(program: &Program, change: &Basis, seen: &[BasisId], again: &[BasisId]) -> bool {
    let keyed = |look: &Basis| look.keyed && seen.iter().any(|seen| look.data.include(*seen));
    again
        .iter()
        .any(|look| change.branch.include(*look) && program.bases.get(look.index()).is_some_and(keyed))
}

/// Whether a change adds one to, or takes one off, what is found under a key in one of these looks.
pub(super) fn is_counted_in(program: &Program, change: &Basis, looks: &[BasisId]) -> bool {
    let keyed = |look: &BasisId| program.bases.get(look.index()).is_some_and(|look| look.keyed);
    let found = |look: &BasisId| change.branch.include(*look) && keyed(look);
    change.by.is_some_and(|by| by.number == By::ONE) && looks.iter().any(found)
}

/// Whether one of these looks, which decides about a change, is for one of the elements that were listed, and nothing else was seen of these.
pub(super) fn is_listed(program: &Program, change: &Basis, seen: &[BasisId], again: &[BasisId]) -> bool {
    let of = |look: &BasisId| program.bases.get(look.index()).map(|look| &look.listed);
    let mut listed = again.iter().filter(|look| change.branch.name(**look)).filter_map(of);
    listed.any(|listed| seen.iter().all(|seen| !change.depends_on(*seen) || listed.contains(seen)))
}
