//! Indices that still mean the same: what is put in behind all that is there moves nothing.

use crate::finding::excuse::{Excuse, Others};
use crate::finding::section::Ahead;
use crate::finding::unrelated::in_rounds;
use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, BasisId, Side, VarId};

/// Why it does not matter that an index was found before, in another critical section, if there is a reason: all that others have done since is
/// to put something in behind what was there, or, where nothing is changed by that index, to add to numbers there.
pub(in crate::finding) fn keeps_its_index(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    let found = first.basis.filter(|_| first.reads() && first.access.var == last.access.var)?;
    let is_indexed = |held: &Held| violation.basis(held).is_some_and(|basis| goes_by(basis, found));
    let here = || violation.before(last).filter(|held| held.is_at_once_with(last)).chain([last]);
    let is_element = is_of_element(violation, first);
    if first.is_at_once_with(last) || !is_element && !here().any(is_indexed) {
        return None;
    }
    let changes = changes(violation, (found, last));
    let mut others = changes_of_others(violation, last, last.access.var)?;
    let appends = |held: &Held| appends(violation, held);
    let adds = |held: &Held| violation.basis(held).is_some_and(|basis| basis.by.is_some());
    // Who asks how many there are means the last one, unless each is looked at.
    let counts = violation.basis(first).is_some_and(|basis| {
        basis.number.is_some() || matches!(basis.side, Some(Side::Entry | Side::Presence))
    });
    let looks = |held: &Held| is_indexed(held) && violation.basis(held).is_some_and(|basis| basis.branches);
    // Who puts something in at once has asked for the place of that.
    let is_own_place = || {
        let mut at_once = violation.after(first).filter(|held| held.is_at_once_with(first));
        at_once.any(|held| held.access.var == first.access.var && appends(held))
    };
    let task = violation.trace.tasks[last.task].proc;
    let each = || here().any(looks) || in_rounds(violation.program, task, last.label);
    // Who adds to a number leaves what others add, and where it is, unless that number said which one it is.
    let adds_only = changes.iter().all(|change| change.by.is_some());
    let led_there: Vec<&Basis> = here()
        .filter(|held| is_indexed(held))
        .filter_map(|held| violation.basis(held)?.indexes.as_ref())
        .flatten()
        .filter_map(|look| violation.program.bases.get(look.index()))
        .collect();
    let is_unseen = |held: &Held| {
        let changed = violation.basis(held).map_or(&[][..], |basis| &basis.members);
        let apart = |look: &&Basis| {
            let other =
                !look.members.is_empty() && look.members.iter().all(|member| !changed.contains(member));
            look.finds.is_some() || other && !changed.is_empty()
        };
        led_there.iter().all(apart)
    };
    let moves_nothing = match changes[..] {
        // What was seen there is there still, whatever is made of it.
        _ if is_element => others.all(appends),
        // What is looked at there is another matter than where it is.
        [] => others.all(|held| appends(held) || adds(held)) && !here().any(looks),
        _ => {
            changes.iter().all(|change| goes_by_index(change, found))
                && (!counts || each() || is_own_place())
                && others.all(|held| appends(held) || adds(held) && adds_only && is_unseen(held))
        }
    };
    moves_nothing.then(|| {
        let (event, variable) = (violation.event(last), violation.name(last));
        Excuse {
            reason: format!("others move nothing in `{variable}` here: the index that `{event}` has found means what it meant"),
            others: Others::These,
        }
    })
}

/// Why it does not matter that an element was looked at before something else, if there is a reason: it was there, and all that others have done to the
/// first is to put something in behind what was there.
pub(in crate::finding) fn keeps_its_element(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    let is_there = violation.basis(first).is_some_and(|basis| basis.asserts);
    if !first.reads() || first.access.var == last.access.var || !is_there || !is_of_element(violation, first)
    {
        return None;
    }
    let mut others = changes_of_others(violation, last, first.access.var)?;
    others.all(|held| appends(violation, held)).then(|| {
        let (event, variable) = (violation.event(first), violation.name(first));
        Excuse {
            reason: format!(
                "others move nothing in `{variable}` here: what `{event}` has found there is there still"
            ),
            others: Others::These,
        }
    })
}

/// What others than the event of an access change of a variable, if anything.
fn changes_of_others<'v>(
    violation: &'v Violation<'_>,
    last: &'v Held,
    var: VarId,
) -> Option<impl Iterator<Item = &'v Held>> {
    let changes = move |held: &&Held| held.access.var == var && !held.reads();
    let mut others = violation.by_others(last).filter(changes).peekable();
    others.peek().is_some().then_some(others)
}

/// Whether an access puts something in behind all that is there.
fn appends(violation: &Violation<'_>, held: &Held) -> bool {
    violation.basis(held).is_some_and(|basis| basis.appends)
}

/// The changes that go by what was found: the last access, or those that come with it.
fn changes<'v>(violation: &Violation<'v>, (found, last): (BasisId, &Held)) -> Vec<&'v Basis> {
    if !last.reads() {
        return violation.basis(last).into_iter().collect();
    }
    let ahead = Ahead::of(violation, last).changes.into_iter();
    let ahead = ahead.filter_map(|(change, _)| violation.program.bases.get(change.index()));
    ahead.filter(|change| change.depends_on(found)).collect()
}

/// Whether all that a change has of what was found is where it is made.
fn goes_by_index(change: &Basis, found: BasisId) -> bool {
    let is_known = change.by.is_some() || change.stores.is_some() || goes_by(change, found);
    is_known && !change.change.is_some_and(|change| change.puts_in())
}

/// Whether an access is made with an index that was found in a look.
fn goes_by(basis: &Basis, found: BasisId) -> bool {
    basis.indexes.as_ref().is_some_and(|looks| looks.contains(&found))
}

/// Whether a look is at an element by its index, or at a part of one that was found so.
fn is_of_element(violation: &Violation<'_>, look: &Held) -> bool {
    let of = |held: &Held| violation.basis(held).is_some_and(|basis| basis.indexes.is_some());
    let mut before = violation.before(look).filter(|held| held.is_at_once_with(look));
    let leads = |held: &Held| {
        of(held) && violation.basis(look).zip(held.basis).is_some_and(|(look, held)| look.data.name(held))
    };
    of(look) || before.any(leads)
}
