//! Two things that are each filled by whoever finds them empty: that the one was empty leads to a look at the other, and says nothing of it.

use crate::finding::excuse::{Excuse, Others};
use crate::finding::reliance::{Reliance, reliance};
use crate::finding::section::changes_with;
use crate::finding::violation::{Held, Violation};
use crate::ir::calls::Calls;
use crate::ir::{Basis, PlaceId};

/// Why it does not matter that another one has filled both meanwhile, if there is a reason: what was seen of the first only decides whether the
/// event comes to look at the second, and whoever changes either of them does so because of a look at just that one, and does nothing to it that the pivot's event
/// would not have done, too.
pub(in crate::finding) fn refills_both(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    let (one, other) = (first.access.var, last.access.var);
    if one == other || !first.reads() || first.task != last.task {
        return None;
    }
    if reliance(violation, first, last) != Some(Reliance::Branch) {
        return None;
    }
    let own = |held: &Held, basis: &Basis| {
        let looks = |look: &&Held| {
            look.instance == held.instance && look.access.var == held.access.var && look.reads()
        };
        let mut looks = violation.held.iter().filter(looks).filter_map(|look| look.basis);
        looks.any(|look| basis.branch.name(look))
    };
    let changes = changes_with(violation, last).into_iter();
    let changes: Vec<&Basis> =
        changes.filter_map(|(change, _)| violation.program.bases.get(change.index())).collect();
    let on_its_own = !changes.is_empty() && changes.iter().all(|change| own(last, change));
    let places = places(violation, last);
    let others: Vec<&Held> = violation
        .by_others(last)
        .filter(|held| !held.reads() && [one, other].contains(&held.access.var))
        .collect();
    // Who changes both at once takes them for one.
    let at_once = |held: &&Held| {
        others.iter().any(|also| also.access.var != held.access.var && also.is_at_once_with(held))
    };
    if others.is_empty() || others.iter().any(at_once) {
        return None;
    }
    let does_the_same = |held: &Held| {
        held.place.is_some_and(|place| places.contains(&place))
            && violation.basis(held).is_some_and(|basis| own(held, basis))
    };
    (on_its_own && others.into_iter().all(does_the_same)).then(|| {
        let (before, after) = (violation.name(first), violation.name(last));
        Excuse {
            reason: format!(
                "whoever changes `{before}` or `{after}` looks at just that one for it: what one of them holds says nothing of the other"
            ),
            others: Others::These,
        }
    })
}

/// The places where the event of an access changes anything.
fn places(violation: &Violation<'_>, of: &Held) -> Vec<PlaceId> {
    let program = violation.program;
    let bodies = Calls::new(program).reachable(violation.trace.tasks[of.task].proc);
    let statements = bodies.into_iter().flat_map(|proc| program.proc(proc).statements());
    statements.filter(|stmt| stmt.changed().is_some()).filter_map(|stmt| stmt.place).collect()
}
