//! Who is the last to leave.

use super::violation::{Held, Violation};
use crate::ir::{By, Stmt, StmtKind};
use crate::semantics::{Access, AccessKind, Signal, Signals};

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
    let decides = violation
        .basis(last)
        .is_some_and(|basis| basis.decides || basis.decides_unseen || basis.told && basis.branches);
    // Several who wake those who wait do no harm.
    let decides = decides && !only_wakes(violation, last);
    last.reads()
        && decides
        && !knows
        && leaves(first)
        && violation.by_others(last).any(|held| held.label == first.label && leaves(held))
}

/// Whether all that goes by what an access found is that somebody is woken.
fn only_wakes(violation: &Violation<'_>, look: &Held) -> bool {
    let (Some(id), Some(basis)) = (look.basis, violation.basis(look)) else { return false };
    let signals = Signals::new(violation.program);
    let wakes = |stmt: &Stmt| match stmt.kind {
        StmtKind::Update(var, class) => {
            signals.of(Access { var, kind: AccessKind::Update(class) }) == Some(Signal::Wake)
        }
        _ => false,
    };
    let goes_by = |stmt: &&Stmt| {
        stmt.changed().is_some() && violation.program.basis_of(stmt).is_some_and(|basis| basis.depends_on(id))
    };
    let mut changes = violation.program.statements().into_iter().filter(goes_by).peekable();
    let told = basis.told || basis.returned || basis.decides_unseen || basis.asserts;
    !told && changes.peek().is_some() && changes.all(wakes)
}
