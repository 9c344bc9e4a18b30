//! How many hold something, where somebody asks: what that one does because of the answer is wrong once another one has come, and so is that
//! it leaves without having done it, if another one does the same.

use std::collections::BTreeSet;

use super::Role;
use super::violation::{Held, Violation};
use crate::ir::{HOLD, LEAVE, StmtKind, VarId};
use crate::semantics::AccessKind;

/// What an access does to the number of those who hold something.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holding {
    /// It asks how many there are.
    Asks,
    /// There is one more.
    Holds,
    /// There is one fewer.
    Leaves,
}

/// Whether such a number has a part in a violation.
pub fn counts_holders(violation: &Violation<'_>) -> bool {
    !on_cycle(violation).is_empty()
}

/// Whether such a number has another part in a violation than that somebody comes between the question and what is done because of the answer, or
/// that several ask, and then leave, each of whom has seen the others.
pub fn counts_otherwise(violation: &Violation<'_>) -> bool {
    counts_holders(violation) && !goes_by_old_count(violation) && !leaves_it_to_others(violation)
}

/// Whether the pivot's event changes something because of how many there were, and others have come since.
pub(super) fn goes_by_old_count(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let goes_by = violation.basis(last).zip(first.basis).is_some_and(|(last, first)| last.depends_on(first));
    first.access.var != last.access.var
        && !last.reads()
        && goes_by
        && has_part(violation, first, Holding::Asks)
        && others_do(violation, first, Holding::Holds, &[first])
}

/// Whether the pivot's event leaves after it has seen others there, who do so, too: who is the last to leave has something to do, and
/// each of them leaves it to the others.
pub(super) fn leaves_it_to_others(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let decides = violation.basis(first).is_some_and(|basis| basis.decides || basis.decides_unseen);
    first.access.var == last.access.var
        && decides
        && has_part(violation, first, Holding::Asks)
        && has_part(violation, last, Holding::Leaves)
        && others_do(violation, first, Holding::Leaves, &[first, last])
        && violation.met(last).all(|held| held.label == first.label)
}

/// Whether all that the others on the cycle do to what an access asks about, before the pivot's event goes on, is this; `own` apart, no such number has
/// another part.
fn others_do(violation: &Violation<'_>, first: &Held, holding: Holding, own: &[&Held]) -> bool {
    let met: Vec<&Held> = violation.met(first).collect();
    let known = |(held, _): &(&Held, Holding)| {
        let among = |some: &[&Held]| some.iter().any(|one| std::ptr::eq(*one, *held));
        among(own) || among(&met) || held.label == first.label
    };
    met.iter().all(|held| has_part(violation, held, holding)) && on_cycle(violation).iter().all(known)
}

fn has_part(violation: &Violation<'_>, held: &Held, holding: Holding) -> bool {
    on_cycle(violation).iter().any(|(one, of)| std::ptr::eq(*one, held) && *of == holding)
}

/// The accesses to such numbers that are on the cycle.
fn on_cycle<'v>(violation: &'v Violation<'_>) -> Vec<(&'v Held, Holding)> {
    let program = violation.program;
    let class = |name: &str| program.classes.iter().position(|class| class == name);
    let classes = [(class(HOLD), Holding::Holds), (class(LEAVE), Holding::Leaves)];
    let of = |class: crate::ir::ClassId| {
        classes.iter().find(|(number, _)| *number == Some(class.index())).map(|(_, holding)| *holding)
    };
    if classes.iter().all(|(class, _)| class.is_none()) {
        return Vec::new();
    }
    let statements = program.statements().into_iter();
    let numbers: BTreeSet<VarId> = statements
        .filter_map(|stmt| match stmt.kind {
            StmtKind::Update(var, class) if of(class).is_some() => Some(var),
            _ => None,
        })
        .collect();
    let part = |held: &'v Held| match held.access.kind {
        AccessKind::Update(class) => Some((held, of(class)?)),
        _ => Some((held, Holding::Asks)),
    };
    let held = violation.held.iter().filter(|held| held.role != Role::Step);
    held.filter(|held| numbers.contains(&held.access.var)).filter_map(part).collect()
}
