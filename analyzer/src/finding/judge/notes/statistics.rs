//! Numbers that say how often something has happened, not how much of it there is: they only go up, and nothing goes by what they say.

use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Count, Stmt, StmtKind, VarId};

/// Why it does not matter that a number is counted apart from another access, if it only goes up, but for where others let it begin anew, and
/// nobody goes by it.
pub(in crate::finding) fn only_counted(violation: &Violation<'_>) -> Option<String> {
    let (first, last) = violation.ends()?;
    if first.access.var == last.access.var {
        return None;
    }
    let counts =
        |end: &&Held| !end.reads() && violation.basis(end).is_some_and(|basis| basis.counts.is_some());
    // Who is told what it says in between may hold it against something else.
    let is_told = |end: &Held| violation.met(end).any(Held::reads);
    let mut ends = [first, last].into_iter().filter(counts).filter(|end| !is_told(end));
    let end = ends.find(|end| is_statistic(violation, end.access.var))?;
    Some(format!("`{}` is only counted up, and nothing goes by what it says", violation.name(end)))
}

/// Whether a variable is only counted up, or set to a constant, and nothing is decided, changed or demanded because of what it says.
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
    let counts = |basis: &Basis| basis.counts == Some(Count::Up) || basis.stores.is_some();
    let harmless = |stmt: &Stmt| {
        let basis = program.basis_of(stmt);
        match &stmt.kind {
            StmtKind::Read(x) if *x == var => basis.is_some_and(|basis| !decides(basis)),
            _ if stmt.changed() == Some(var) => basis.is_some_and(|basis| !decides(basis) && counts(basis)),
            _ => true,
        }
    };
    program.vars[var.index()].domain.is_none() && program.statements().into_iter().all(harmless)
}
