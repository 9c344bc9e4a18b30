//! Changes that leave the same, whatever was there: which of them comes last says nothing.

use crate::finding::violation::{Held, Violation};
use crate::semantics::AccessKind;

/// Whether one of the pivot's event's two accesses, and those of the others that it conflicts with, store the same constant, and nobody goes by what
/// was there before.
pub fn store_the_same(violation: &Violation<'_>) -> bool {
    let stored = |held: &Held| {
        let basis = violation.basis(held).filter(|_| held.access.kind == AccessKind::Write)?;
        let many = basis.keyed || violation.program.vars[held.access.var.index()].is_many();
        basis.stores.as_ref().filter(|_| !many && is_blind(violation, held))
    };
    violation.has_end_apart(|end, other| {
        let (end, other) = (stored(end), stored(other));
        end.is_some() && end == other
    })
}

/// Whether nothing depends on what a change has found.
fn is_blind(violation: &Violation<'_>, held: &Held) -> bool {
    let Some(basis) = violation.basis(held) else { return false };
    let used =
        basis.told || basis.returned || basis.asserts || basis.ends || basis.decides || basis.decides_unseen;
    let id = held.basis;
    !used && id.is_some_and(|id| !violation.program.bases.iter().any(|other| other.depends_on(id)))
}
