//! Numbers that are only counted: nothing goes by what they say.

use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Stmt, StmtKind, VarId};

/// Why it does not matter that a number is counted apart from another access, if it is one that is only added to and set to a constant, and nobody goes by:
/// whoever is told what it says is told how things were at some time.
pub(in crate::finding) fn only_counted(violation: &Violation<'_>) -> Option<String> {
    let (first, last) = violation.ends()?;
    if first.access.var == last.access.var {
        return None;
    }
    let counts =
        |end: &&Held| !end.reads() && violation.basis(end).is_some_and(|basis| basis.counts.is_some());
    let end = [first, last].into_iter().find(|end| counts(end) && is_statistic(violation, end.access.var))?;
    Some(format!("`{}` is only counted, and nothing goes by what it says", violation.name(end)))
}

/// Whether a variable is changed by counting and by constants only, and nothing is decided, changed or demanded because of what it says.
fn is_statistic(violation: &Violation<'_>, var: VarId) -> bool {
    let program = violation.program;
    let decides = |basis: &Basis| {
        basis.branches
            || basis.decides
            || basis.decides_beyond
            || basis.decides_unseen
            || basis.asserts
            || basis.ends
    };
    let harmless = |stmt: &Stmt| {
        let basis = program.basis_of(stmt);
        match &stmt.kind {
            StmtKind::Read(x) if *x == var => basis.is_some_and(|basis| !decides(basis)),
            _ if stmt.changed() == Some(var) => basis
                .is_some_and(|basis| !decides(basis) && (basis.counts.is_some() || basis.stores.is_some())),
            _ => true,
        }
    };
    program.vars[var.index()].domain.is_none() && program.statements().into_iter().all(harmless)
}
