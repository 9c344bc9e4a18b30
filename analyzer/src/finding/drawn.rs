//! Numbers that were drawn: whoever draws others since, they stay what they are.

use super::violation::{Held, Violation};
use crate::ir::{Basis, BasisId, Change};

/// Whether what was seen is a number that its event has drawn, and it does not matter to the change who has drawn others since: what it
/// stores has nothing of the number, it takes out what has that number, or holds the number against what is there by then. What is put in
/// with it may come in another order than the numbers.
pub(super) fn is_still_drawn(
    violation: &Violation<'_>,
    (first, last): (&Held, &Held),
    change: &Basis,
    seen: BasisId,
) -> bool {
    let is_drawn = violation.program.bases.get(seen.index()).is_some_and(|seen| seen.drawn);
    let takes_out = matches!(change.change, Some(Change::Remove | Change::Take));
    let mut looks = violation
        .before(last)
        .filter(|held| held.reads() && held.access.var == last.access.var && held.is_at_once_with(last));
    let goes_by = |look: &Held| look.basis.is_some_and(|look| change.branch.name(look));
    let other = first.access.var != last.access.var;
    is_drawn
        && other
        && (!change.data.include(seen) || takes_out || change.branch.name(seen) && looks.any(goes_by))
}
