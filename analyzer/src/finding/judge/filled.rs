//! Entries that are made where none is, and stay as they are where there is one.

use crate::finding::reliance::in_section;
use crate::finding::violation::{Held, Violation};
use crate::ir::Basis;

/// Whether the pivot's event goes by an entry that it has found, and others only make entries where there is none: what they make is
/// under another key.
pub fn leaves_what_was_found(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let Some((seen, pivot)) = first.basis.zip(violation.basis(last)) else { return false };
    let is = |held: &Held, what: fn(&Basis) -> bool| violation.basis(held).is_some_and(what);
    let by_key = |held: &Held| held.reads() && is(held, |basis| basis.keyed);
    // What is made of it is reached only where there was something.
    let found = first.reads()
        && in_section(violation, first, last).any(by_key)
        && pivot.data.name(seen)
        && pivot.branch.name(seen);
    let makes = |held: &Held| is(held, Basis::makes_entry);
    let mut changes =
        violation.held.iter().filter(|held| held.access.var == first.access.var && !held.reads());
    found
        && changes.all(makes)
        && violation.has_end_apart(|end, other| std::ptr::eq(end, first) && makes(other))
}
