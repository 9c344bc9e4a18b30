//! Numbers that were drawn: whoever draws others since, they stay what they are.

use super::excuse::{Excuse, Others};
use super::violation::{Held, Violation};
use crate::ir::{Basis, BasisId, Change, VarId};

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
    // Entries have no order: who puts one in that names the number goes by what is there.
    let names = change.branch.name(seen) || change.keyed && change.change == Some(Change::Set);
    let other = first.access.var != last.access.var;
    is_drawn && other && (!change.data.include(seen) || takes_out || names && looks.any(goes_by))
}

/// Whether two events go by what each has taken out of one collection, into which nobody puts the same as another one: each element has a number
/// that was drawn for it.
pub(super) fn are_taken_apart(violation: &Violation<'_>, one: &Held, other: &Held) -> bool {
    let own = taken(violation, one);
    taken(violation, other).into_iter().any(|var| own.contains(&var) && are_put_in_anew(violation, var))
}

/// Why a violation is about two things, if it is: the pivot's event has taken one out of a collection, and works on that; the others that had to
/// do with the like meanwhile have taken theirs out of it, too, or put it in only behind that.
pub(super) fn is_taken_out(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    let var = first.access.var;
    let takes = |held: &Held| {
        held.access.var == var
            && violation.basis(held).is_some_and(|basis| basis.change == Some(Change::Take))
    };
    // The taking that says what an access is to.
    let came_out = |to: &Held| {
        let leads =
            |held: &Held| violation.basis(to).zip(held.basis).is_some_and(|(to, held)| to.data.name(held));
        let mut own = violation.before(to).filter(|held| held.instance == to.instance);
        own.any(|held| takes(held) && leads(held))
    };
    if !takes(first) || last.access.var == var || !came_out(last) {
        return None;
    }
    let puts = |held: &Held| {
        let puts = |basis: &Basis| basis.change == Some(Change::Put);
        held.access.var == var && violation.basis(held).is_some_and(puts)
    };
    let put_in = |other: &Held| {
        let mut own = violation.after(other).filter(|held| held.instance == other.instance);
        own.any(|held| puts(held) && violation.after(first).any(|later| std::ptr::eq(later, held)))
    };
    let mut others = violation.met(last).peekable();
    let apart = others.peek().is_some() && others.all(|other| came_out(other) || put_in(other));
    apart.then(|| Excuse {
        reason: format!(
            "`{}` works on what it has taken out of `{}`, and so do the others on theirs: a bug only if one thing is in there twice",
            violation.event(last),
            violation.name(first)
        ),
        others: Others::These,
    })
}

/// The collections out of which something was taken that goes into an access.
fn taken(violation: &Violation<'_>, held: &Held) -> Vec<VarId> {
    let Some(basis) = violation.basis(held) else { return Vec::new() };
    let statements = violation.program.statements().into_iter();
    let taken = statements.filter_map(|stmt| {
        let takes = violation.program.basis_of(stmt)?.change == Some(Change::Take);
        stmt.changed().filter(|_| takes && stmt.basis.is_some_and(|taken| basis.data.name(taken)))
    });
    taken.collect()
}

/// Whether something in each element that is put into a collection was made anew for that.
fn are_put_in_anew(violation: &Violation<'_>, var: VarId) -> bool {
    violation.program.changes_of(var).all(|stmt| {
        let basis = violation.program.basis_of(stmt);
        basis.is_some_and(|basis| match basis.change {
            Some(Change::Put) => !basis.anew.is_empty(),
            Some(Change::Take | Change::Remove | Change::Clear) => true,
            Some(Change::Set) | None => false,
        })
    })
}
