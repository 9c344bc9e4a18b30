//! Values that several own: what is done as the last owner drops one is done when nobody else has it any more.

use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Stmt};

/// Why somebody is not the last one to drop what another one comes to later, if that is needed.
pub(in crate::finding) fn outlived(violation: &Violation<'_>) -> Option<String> {
    violation.held.iter().find_map(|dropped| {
        let ended = &violation.basis(dropped).filter(|basis| !basis.outlived.is_empty())?.outlived;
        let has = |values: &[u32]| values.iter().any(|value| ended.contains(value));
        let comes_to_it =
            |held: &&Held| bases(violation, held).any(|basis| has(&basis.part_of) || has(&basis.outlived));
        let mut later = violation.after(dropped).filter(|held| held.instance != dropped.instance);
        let late = later.find(comes_to_it)?;
        Some(format!(
            "`{}` drops its share of what `{}` still has, and would have to be the last one that has it: a bug only if it is not the \
             same one",
            violation.event(dropped),
            violation.event(late)
        ))
    })
}

/// What is known of an access, or of what else is done there: an update may be several accesses, of which one has a basis.
fn bases<'v>(violation: &'v Violation<'_>, held: &'v Held) -> impl Iterator<Item = &'v Basis> {
    let is_there = |stmt: &&Stmt| stmt.place == held.place;
    let others = violation.basis(held).is_none().then(|| violation.program.statements());
    let there = others.into_iter().flatten().filter(is_there);
    violation.basis(held).into_iter().chain(there.filter_map(|stmt| violation.program.basis_of(stmt)))
}
