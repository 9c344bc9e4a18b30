//! Changes that change nothing: what is stored is there already. Who has looked before sees the same behind it.
//!
//! The theory's conflicts are about accesses and not about values (section 1), so nothing of this is said of programs in the tool's own language.

use crate::finding::violation::{Held, Violation};
use crate::ir::{Domain, Expr, Program, Stmt, StmtKind, Value};

/// What a statement leaves in its variable, if that is one truth value, whatever was there.
pub(in crate::finding) fn left(program: &Program, statement: &Stmt) -> Option<bool> {
    match &statement.kind {
        StmtKind::Update(_, class) => program.left_by(*class),
        StmtKind::SetVar(var, Expr::Const(Value::Bool(value)))
            if program.vars[var.index()].domain == Some(Domain::Bool) =>
        {
            Some(*value)
        }
        _ => None,
    }
}

/// Whether an end of the pivot's event is a look, and the others on the cycle store what they find there, or it stores what they store.
/// Such a cycle is none.
pub fn is_silent(violation: &Violation<'_>) -> bool {
    let is_apart = |end: &Held, other: &Held| match end.reads() {
        true => changes_nothing(violation, other),
        false => !other.reads() && end.leaves.is_some() && end.leaves == other.leaves,
    };
    !violation.program.bases.is_empty() && violation.has_end_apart(is_apart)
}

/// Whether the pivot's event looks at a flag again in a later round of a loop: it goes on until others have raised it. `flags` is what
/// [`crate::finding::flags`] says of the variables.
pub fn is_awaited(violation: &Violation<'_>, flags: &[Option<bool>]) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    !violation.program.bases.is_empty()
        && first.label == last.label
        && last.reads()
        && violation.program.vars[last.access.var.index()].domain == Some(Domain::Bool)
        && flags.get(last.access.var.index()).copied().flatten().is_some()
}

/// Whether a change leaves what the one before it has left.
fn changes_nothing(violation: &Violation<'_>, change: &Held) -> bool {
    let var = &violation.program.vars[change.access.var.index()];
    let changes =
        violation.before(change).filter(|held| held.access.var == change.access.var && !held.reads());
    // What was there at first may be what others have left.
    let was = changes.last().and_then(|before| before.leaves);
    change.leaves.is_some() && change.leaves == was && !var.is_many() && !var.recurring
}
