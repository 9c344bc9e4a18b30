//! Entries that are claimed: who finds nothing under a key puts something there in the same critical section, and takes it out
//! again when done. Nobody else has to do with that entry in between.

use crate::finding::commuting::{accesses, is_change};
use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, BasisId, Change};

/// Whether the pivot's event has claimed the key that one of its accesses is about, and the accesses of others that this one conflicts with are
/// under keys that their events have claimed in the same way: under others, then, as they come while it has its key. Or it gives its key back, and
/// the others claim, or give back, theirs.
pub fn have_claimed_keys(violation: &Violation<'_>) -> bool {
    let claimed = |held: &Held| violation.claims_around(held);
    let removes =
        |held: &Held| violation.basis(held).is_some_and(|basis| basis.change == Some(Change::Remove));
    // It has not given it back in between, unless that is one with what comes then, nor claimed another one.
    let keeps = |from: &Held, until: &Held| {
        let mut own = violation.between(from, until).filter(|held| held.instance == from.instance);
        own.all(|held| held.label != from.label && (!removes(held) || held.is_at_once_with(until)))
    };
    let comes_after = |one: &Held, other: &Held| violation.after(one).any(|held| std::ptr::eq(held, other));
    let has_it = |end: &Held, other: &Held| match comes_after(end, other) {
        true => keeps(end, other),
        false => {
            let mut own = violation.before(other).filter(|held| held.instance == end.instance);
            // What makes the claim comes before all that is done under it.
            let is_under = |held: &Held| claimed(held) == claimed(end) || violation.is_claim(held);
            own.any(|held| is_under(held) && keeps(held, end))
        }
    };
    violation.has_end_apart(|end, other| {
        claimed(end).is_some() && claimed(end) == claimed(other) && has_it(end, other)
            || violation.gives_back_another(end, other)
    })
}

impl Violation<'_> {
    /// The pivot takes out, or replaces, what its event has put in where nothing was, and the others do the like with theirs, or only look.
    pub(in crate::finding) fn keeps_to_its_claim(&self, first: &Held, last: &Held) -> Option<String> {
        let var = last.access.var;
        if first.access.var != var || !self.is_of_its_claim(last) {
            return None;
        }
        let mut others = self.by_others(last).filter(|held| held.access.var == var && !held.reads());
        others.all(|other| self.is_claim(other) || self.is_of_its_claim(other)).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!(
                "what `{event}` takes out of `{variable}`, or replaces, it has put in itself, where nothing was: what others put in meanwhile \
                 is under other keys"
            )
        })
    }

    /// Whether an access takes out what its event has put in where nothing was, or replaces it, and another one, that comes after it was put in,
    /// does the like with something else, or puts that in.
    pub(in crate::finding) fn gives_back_another(&self, end: &Held, other: &Held) -> bool {
        let since = |claim: &Held| self.after(claim).any(|held| std::ptr::eq(held, other));
        let theirs = self.is_claim(other) || self.is_of_its_claim(other);
        !other.reads() && theirs && self.claim_of(end).is_some_and(since)
    }

    /// The pivot claims a key because of what its event saw; what else is done because of that goes by another look, once the key is claimed.
    pub(in crate::finding) fn looks_behind_claim(&self, first: &Held, last: &Held) -> Option<String> {
        let (seen, id, change) = (first.basis?, last.basis?, self.basis(last)?);
        let claims = first.reads() && first.access.var != last.access.var && change.claims();
        let looks: Vec<BasisId> = self
            .program
            .statements()
            .into_iter()
            .filter(|stmt| accesses(stmt, first.access.var) && !is_change(stmt))
            .filter_map(|stmt| stmt.basis)
            .filter(|look| {
                let look = self.program.bases.get(look.index());
                look.is_some_and(|look| look.claimed.is_some() && look.branch.name(id))
            })
            .collect();
        let mut others = self.program.statements().into_iter().filter(|stmt| is_change(stmt));
        let goes_by_these = others.all(|stmt| {
            self.program.basis_of(stmt).is_some_and(|basis| {
                stmt.basis == Some(id)
                    || !basis.depends_on(seen)
                    || basis.undoes.contains(&id)
                    || looks.iter().any(|look| basis.branch.name(*look))
            })
        });
        (claims && !looks.is_empty() && goes_by_these).then(|| {
            let (event, seen) = (self.event(last), self.name(first));
            format!("`{event}` looks at `{seen}` again once it has the key to itself")
        })
    }

    /// The pivot frees an entry that its event has marked as taken where it found it free, and the others do the like with theirs.
    pub(in crate::finding) fn frees_its_own(&self, first: &Held, last: &Held) -> Option<String> {
        let var = last.access.var;
        let claim = self.claimed_by_mark(last).filter(|claim| first.is_at_once_with(claim))?;
        if first.access.var != var {
            return None;
        }
        let puts = |held: &Held| self.basis(held)?.mark.as_ref().map(|mark| mark.puts.as_str());
        let claims = |other: &Held| self.is_claim_by_mark(other) && puts(other) == puts(claim);
        let mut others = self.by_others(last).filter(|held| held.access.var == var && !held.reads());
        others.all(|other| claims(other) || self.claimed_by_mark(other).is_some()).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!(
                "`{event}` frees an entry of `{variable}` that it has marked as taken where it found it free: others leave that one alone"
            )
        })
    }

    /// Whether a change marks an entry because of the mark that was there, as its event saw in the same critical section.
    fn is_claim_by_mark(&self, change: &Held) -> bool {
        let sees = |basis: &Basis| basis.mark.as_ref().is_some_and(|mark| mark.sees);
        self.basis(change).is_some_and(sees) && self.is_decided_at_once(change, |_| true)
    }

    /// Where its own event has marked the entry, because of the mark that was there, that a change puts the other mark into.
    fn claimed_by_mark<'v>(&'v self, last: &'v Held) -> Option<&'v Held> {
        let replaced = &self.basis(last)?.mark.as_ref()?.replaces;
        self.before(last).find(|held| {
            held.instance == last.instance
                && held.access.var == last.access.var
                && held.basis.is_some_and(|basis| replaced.contains(&basis))
                && self.is_claim_by_mark(held)
        })
    }

    /// Whether a change takes out, or replaces, an entry that its own event has claimed, and has not taken out since.
    fn is_of_its_claim(&self, last: &Held) -> bool {
        self.claim_of(last).is_some()
    }

    /// Where its own event has claimed the entry that a change takes out, or replaces, if it has not taken it out since.
    fn claim_of<'v>(&'v self, last: &'v Held) -> Option<&'v Held> {
        let basis = self.basis(last).filter(|basis| basis.keyed)?;
        let own = |held: &&Held| held.instance == last.instance && held.access.var == last.access.var;
        let same_key = |held: &&Held| match basis.change {
            Some(Change::Remove) => self.undoes(last, held) && self.is_claim(held),
            Some(Change::Set) => {
                held.basis.is_some_and(|held| basis.again.contains(&held))
                    && self.basis(held).is_some_and(|held| held.checks)
            }
            _ => false,
        };
        let claim = self.before(last).filter(own).filter(same_key).last();
        let gives_back =
            |claim: &Held| self.between(claim, last).filter(own).any(|held| self.undoes(held, claim));
        claim.filter(|claim| !gives_back(claim))
    }

    /// The set in which the key that an access is about is claimed where it is made: by then, or in the same critical section.
    fn claims_around(&self, held: &Held) -> Option<u32> {
        let basis = self.basis(held)?;
        let at_once = |claim: &Held| claim.instance == held.instance && claim.is_at_once_with(held);
        let is_made_here = || {
            let mut own = self.held.iter().filter(|claim| at_once(claim));
            own.any(|claim| self.is_claim(claim) || self.claim_of(claim).is_some())
        };
        basis.claimed.or_else(|| basis.beside_claim.filter(|_| is_made_here()))
    }

    /// Whether a change puts something under a key only where nothing was, as its event saw in the same critical section.
    fn is_claim(&self, put: &Held) -> bool {
        let enters = |basis: &&Basis| {
            basis.keyed && (basis.change == Some(Change::Set) || basis.change.is_none() && basis.settles)
        };
        let Some(basis) = self.basis(put).filter(enters) else { return self.fills_vacant(put) };
        basis.checks || basis.claims() || self.is_decided_at_once(put, |look| look.keyed)
    }

    /// Whether a change fills the entry that its event has asked for in the same critical section, because it is vacant.
    fn fills_vacant(&self, put: &Held) -> bool {
        let Some(basis) = self.basis(put).filter(|basis| !put.reads() && !basis.keyed) else { return false };
        self.before(put).any(|entry| {
            entry.access.var == put.access.var
                && entry.is_at_once_with(put)
                && self.basis(entry).is_some_and(Basis::makes_entry)
                && entry.basis.is_some_and(|id| basis.again.contains(&id) && basis.branch.name(id))
        })
    }

    /// Whether a change is made because of such a look at its variable in the critical section that it is made in.
    fn is_decided_at_once(&self, change: &Held, wanted: fn(&Basis) -> bool) -> bool {
        let Some(basis) = self.basis(change) else { return false };
        self.before(change).any(|look| {
            look.reads()
                && look.access.var == change.access.var
                && look.is_at_once_with(change)
                && self.basis(look).is_some_and(wanted)
                && look.basis.is_some_and(|look| basis.branch.name(look))
        })
    }
}
