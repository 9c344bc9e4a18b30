//! Entries that are made where none is, and stay as they are where there is one.

use super::violation::{Held, Violation};
use crate::ir::{Basis, Causes};

/// Whether the pivot's event goes by an entry that it has found, and others only make entries where there is none: what they make is
/// under another key.
pub fn leaves_what_was_found(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let Some((seen, pivot)) = first.basis.zip(violation.basis(last)) else { return false };
    // What is made of it is reached only where there was something.
    let by_key = |held: &Held| violation.basis(held).is_some_and(|basis| basis.keyed);
    let mut section = violation
        .before(last)
        .filter(|held| held.access.var == first.access.var && first.is_at_once_with(held));
    let found = first.reads()
        && section.any(|held| held.reads() && by_key(held))
        && pivot.data != Causes::Any
        && pivot.branch != Causes::Any
        && pivot.data.include(seen)
        && pivot.branch.include(seen);
    let makes = |basis: &Basis| basis.checks && basis.keyed && basis.change.is_none();
    let leaves = |held: &Held| violation.basis(held).is_some_and(makes);
    let mut changes =
        violation.held.iter().filter(|held| held.access.var == first.access.var && !held.reads());
    found
        && changes.all(leaves)
        && violation.has_end_apart(|end, other| std::ptr::eq(end, first) && leaves(other))
}
