//! Waits that begin too late: what is waited for has happened, and nobody wakes the task.

use super::violation::{Held, Violation};
use crate::semantics::{Signal, Signals};

/// Whether nobody waits in vain in a violation that ends with the beginning of a wait. There is no other harm in such a one.
///
/// Who waits does so because of what was seen before, others change that and wake who waits, and then the wait begins. It
/// is in time if it does not depend on what was seen; if those who wake do so before they change anything; and if what is
/// looked at under the lock that is given back with the wait has been changed by then, too: that look sees it.
pub fn is_in_time(violation: &Violation<'_>) -> bool {
    let signals = Signals::new(violation.program);
    let Some((first, last)) = violation.ends() else { return false };
    if signals.of(last.access) != Some(Signal::Enlist) {
        return false;
    }
    let Some(basis) = violation.basis(last) else { return false };
    let depends = |held: &Held| held.basis.is_some_and(|look| basis.depends_on(look));
    let position = |wanted: &Held| violation.held.iter().position(|held| std::ptr::eq(held, wanted));
    let changed_before = |look: &Held| {
        violation
            .before(look)
            .any(|held| held.instance != last.instance && !held.reads() && held.access.conflicts(look.access))
    };
    let mut own = violation.before(last).filter(|held| held.instance == last.instance);
    let looked_again = own.any(|held| {
        !std::ptr::eq(held, first) && depends(held) && held.is_at_once_with(last) && changed_before(held)
    });
    let wakes = |held: &&Held| held.instance != last.instance && held.access.conflicts(last.access);
    let woken = violation.before(last).filter(wakes).filter_map(position).last();
    let conflicts = |held: &&Held| held.instance != last.instance && held.access.conflicts(first.access);
    let changed = violation.after(first).filter(conflicts).filter_map(position).next();
    !depends(first) || looked_again || changed.zip(woken).is_none_or(|(changed, woken)| woken < changed)
}
