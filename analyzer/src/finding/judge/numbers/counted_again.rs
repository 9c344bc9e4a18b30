//! Counts that are taken at once, looked at as they are by then, and taken back where they are too much: a look before only said that it is worth
//! while to try.

use crate::finding::violation::Violation;
use crate::ir::By;

/// Why an earlier look at a count does not matter, if its event goes by what it gets as it counts, and may take that back; or only does so.
pub(in crate::finding) fn counted_again(violation: &Violation<'_>) -> Option<String> {
    let (first, last) = violation.ends()?;
    let (seen, own) = (first.basis?, last.basis?);
    let change = violation.basis(last).filter(|_| first.reads() && !last.reads())?;
    let by = change.by.filter(|_| first.access.var == last.access.var)?;
    let back = By { less: !by.less, ..by };
    let is_back = violation.program.statements().into_iter().any(|stmt| {
        let basis = violation.program.basis_of(stmt).filter(|_| stmt.changed() == Some(last.access.var));
        let other = basis.filter(|basis| basis.by == Some(back)).zip(stmt.basis);
        other.is_some_and(|(basis, id)| {
            change.branches && basis.branch.name(own) || basis.branches && change.branch.name(id)
        })
    });
    (is_back && !change.data.include(seen)).then(|| {
        let (event, variable) = (violation.event(last), violation.name(last));
        format!("`{event}` counts `{variable}` at once, looks at what it is by then, and takes that back where it is too much")
    })
}
