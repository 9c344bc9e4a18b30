//! Who is the last to leave.

use super::violation::{Held, Violation};
use crate::ir::By;

/// Whether a number is made less by one, and then looked at to do something, by several who do so: of those who leave, none or several find themselves to be the last.
/// Who has seen what is left as it was made less knows whether it is.
pub(super) fn is_last_out(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let one_less = |by: By| by.less && by.number == By::ONE;
    let leaves = |held: &Held| {
        held.access.var == last.access.var
            && violation.basis(held).is_some_and(|basis| basis.by.is_some_and(one_less))
    };
    let mut between = violation.between(first, last);
    let knows = between.any(|held| {
        held.reads()
            && held.access.var == first.access.var
            && held.is_at_once_with(first)
            && violation.basis(held).is_some_and(|basis| basis.branches)
    });
    let decides = violation.basis(last).is_some_and(|basis| basis.decides || basis.decides_unseen);
    last.reads()
        && decides
        && !knows
        && leaves(first)
        && violation.by_others(last).any(|held| held.label == first.label && leaves(held))
}
