//! Entries that are made where none is, and stay as they are where there is one; and those that are not there, of which nobody takes out any.

use crate::finding::reliance::in_section;
use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, Change, Side};

/// Whether the pivot's event goes by an entry that it has found, and others only make entries where there is none, or change what is in
/// one: what they make is under another key.
pub fn leaves_what_was_found(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let makes = |held: &Held| is(violation, held, Basis::makes_entry);
    let stays = |basis: &Basis| matches!(basis.side, Some(Side::Inside | Side::Value));
    let leaves = |held: &Held| makes(held) || is(violation, held, stays);
    let mut changes =
        violation.held.iter().filter(|held| held.access.var == first.access.var && !held.reads());
    (finds(violation, first, last) || is_in_found(violation, first))
        && changes.all(leaves)
        && violation.has_end_apart(|end, other| std::ptr::eq(end, first) && makes(other))
}

/// Whether the pivot's event has found nothing under a key, and others only take out what is there: what they find is under another key.
pub fn leaves_what_was_missing(violation: &Violation<'_>) -> bool {
    let Some((first, last)) = violation.ends() else { return false };
    let missed =
        first.basis.zip(violation.basis(last)).is_some_and(|(seen, last)| last.missed.contains(&seen));
    let takes_out = |held: &Held| {
        is(violation, held, |basis| matches!(basis.change, Some(Change::Remove | Change::Clear)))
    };
    let mut between = violation.between(first, last).filter(|held| held.access.var == first.access.var);
    missed
        && first.reads()
        && between.all(|held| held.reads() || takes_out(held))
        && violation.has_end_apart(|end, other| std::ptr::eq(end, first) && takes_out(other))
}

/// Whether the pivot's event could not fill what is filled only once, because it was full, and another one fills it after that.
pub fn is_full_already(violation: &Violation<'_>) -> bool {
    let found_full = |held: &Held| {
        held.reads() && is(violation, held, |basis| basis.misses) && violation.is_filled_once(held.access.var)
    };
    violation.has_end_apart(|end, other| !other.reads() && found_full(end))
}

fn is(violation: &Violation<'_>, held: &Held, what: impl Fn(&Basis) -> bool) -> bool {
    violation.basis(held).is_some_and(what)
}

/// Whether a look finds something under a key, and the last access is made of that: it is made only where there was something.
fn finds(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let Some((seen, pivot)) = first.basis.zip(violation.basis(last)) else { return false };
    let by_key = |held: &Held| held.reads() && is(violation, held, |basis| basis.keyed);
    first.reads()
        && in_section(violation, first, last).any(by_key)
        && pivot.data.name(seen)
        && pivot.branch.name(seen)
}

/// Whether an access is to what is in an entry that was looked for in the same critical section, by its key: it was there.
fn is_in_found(violation: &Violation<'_>, access: &Held) -> bool {
    let Some(basis) = violation.basis(access).filter(|basis| basis.within && !basis.keyed) else {
        return false;
    };
    let leads = |held: &&Held| {
        held.access.var == access.access.var
            && held.is_at_once_with(access)
            && held.basis.is_some_and(|look| basis.data.include(look))
    };
    let mut looks = violation.before(access).filter(leads).peekable();
    looks.peek().is_some() && looks.all(|look| look.reads() && is(violation, look, |basis| basis.keyed))
}

impl Violation<'_> {
    /// The pivot takes out one of those that its event saw to be there, as many as there were, and others only put more in.
    pub(in crate::finding) fn takes_of_more(&self, first: &Held, last: &Held) -> Option<String> {
        let (look, change) = (self.basis(first)?, self.basis(last)?);
        let var = last.access.var;
        let takes = first.reads()
            && first.access.var == var
            && matches!(look.side, Some(Side::Entry | Side::Presence))
            && change.change == Some(Change::Take)
            && first.basis.is_some_and(|first| !change.data.include(first));
        let puts = |other: &Held| {
            other.reads() || self.basis(other).is_some_and(|basis| basis.change == Some(Change::Put))
        };
        (takes && self.by_others(last).filter(|held| held.access.var == var).all(puts)).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!(
                "others only put more into `{variable}` in between: there still is what `{event}` takes out"
            )
        })
    }

    /// The pivot takes out what is as its event saw it before, and leaves all else; what others put in is something else.
    pub(in crate::finding) fn sifts_others(&self, first: &Held, last: &Held) -> Option<String> {
        let var = last.access.var;
        let part = self.basis(last)?.sifts.as_ref()?;
        let other_part = |other: &Held| {
            let by_key = |basis: &Basis| part.is_empty() && basis.keyed && basis.own.is_some();
            other.reads() || self.basis(other).is_some_and(|basis| basis.anew.contains(part) || by_key(basis))
        };
        let sifts = first.reads() && first.access.var == var;
        (sifts && self.by_others(last).filter(|held| held.access.var == var).all(other_part)).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!("`{event}` takes out of `{variable}` only what it saw there: what others have put in since is something else")
        })
    }
}
