//! Changes that change nothing: what is stored is there already. Who has looked before sees the same behind it.
//!
//! The theory's conflicts are about accesses and not about values (section 1), so nothing of this is said of programs in the tool's own language.

use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, BasisId, Causes, Change, Domain, Expr, Program, Stmt, StmtKind, Test, Value, VarId};

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

/// Whether all that others on the cycle do where they meet an end of the pivot's event is to look at what they have just put in themselves, only to
/// make sure that it is there, and nothing goes by that: whoever comes first, they find the same.
pub fn is_sure(violation: &Violation<'_>) -> bool {
    !violation.program.bases.is_empty()
        && violation.has_end_apart(|_, other| only_makes_sure(violation, other))
}

fn only_makes_sure(violation: &Violation<'_>, look: &Held) -> bool {
    let goes_nowhere = |basis: &Basis| {
        let shows = basis.told || basis.returned || basis.given_out;
        let decides = basis.branches || basis.decides || basis.decides_beyond || basis.decides_unseen;
        let alone = |causes: &Causes| matches!(causes, Causes::These(these) if these.is_empty());
        basis.asserts && !shows && !decides && !basis.ends && alone(&basis.data)
    };
    let is_used = |id: BasisId| violation.program.bases.iter().any(|basis| basis.depends_on(id));
    let puts_in = |own: &Held| {
        let put = violation.basis(own).and_then(|basis| basis.change);
        own.access.var == look.access.var && put.is_some_and(Change::puts_in) && look.is_at_once_with(own)
    };
    look.reads()
        && violation.before(look).any(puts_in)
        && violation.basis(look).is_some_and(goes_nowhere)
        && look.basis.is_some_and(|id| !is_used(id))
}

/// The variable of the first end, if what that saw there is there all the time until the last one comes, for others only set it to the same, or to
/// what all that was asked is answered the same of: the look could as well have been made then, behind what they did. All that is in it has to
/// be followed, and to come from where it is set; so this is true of all runs with the same cycle in which it is set at the same places, to the
/// same values.
pub fn found_as_it_was(violation: &Violation<'_>) -> Option<VarId> {
    let (first, last) = violation.ends()?;
    let program = violation.program;
    let x = first.access.var;
    let var = &program.vars[x.index()];
    let is_set = |statement: &Stmt| match (&statement.kind, var.domain) {
        (StmtKind::SetVar(y, _), Some(Domain::Bool)) if *y == x => true,
        (StmtKind::SetVar(y, value), Some(Domain::Int { .. })) if *y == x => matches!(value, Expr::Const(_)),
        _ => statement.changed() != Some(x),
    };
    let is_followed = matches!(var.domain, Some(Domain::Bool | Domain::Int { .. }))
        && program.statements().into_iter().all(is_set);
    // What is left under the same name may be that of another one.
    let is_one = !var.is_many() && !var.recurring;
    let mut own = violation.before(last).filter(|held| held.instance == last.instance);
    let is_look = first.reads() && !own.any(|held| held.access.var == x && !held.reads());
    // What others change, and change back, may be what they keep each other out by.
    let mut later = violation.after(first).filter(|held| held.access.var == x).map(|held| held.found);
    let tests = violation.basis(first).and_then(|basis| basis.tests.as_ref());
    let is_the_same = |found: Option<i128>| {
        let (Some(seen), Some(found)) = (first.found, found) else { return false };
        let answered = |tests: &Vec<Test>| tests.iter().all(|test| test.of(seen) == test.of(found));
        seen == found || tests.is_some_and(answered)
    };
    let is_as_it_was = is_the_same(violation.replayed.left(x)) && later.all(is_the_same);
    (!program.bases.is_empty() && is_followed && is_one && is_look && is_as_it_was).then_some(x)
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
