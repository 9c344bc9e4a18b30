//! Reservations: who looks whether there is room notes that it takes some, in the critical section in which it looked, and turns that into the
//! real thing later, under the lock again. What it decided about was protected: the sum of what is there and what is reserved stays as it was.

use crate::finding::excuse::{Excuse, Others};
use crate::finding::members::are_others;
use crate::finding::reliance::{Reliance, reliance};
use crate::finding::section::{around, changes_with};
use crate::finding::violation::{Held, Violation};
use crate::ir::{BasisId, By, Change, VarId};

/// Why a change that goes by an earlier look only turns into the real thing what its event has reserved, if it does.
pub(in crate::finding) fn reserved(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    if !first.reads() || reliance(violation, first, last) != Some(Reliance::Branch) {
        return None;
    }
    let (event, variable) = (violation.event(last), violation.name(last));
    let takes_back = |change: BasisId| {
        let mut reserved = violation.before(last).filter(|held| violation.reserves(first, held));
        let change = violation.program.bases.get(change.index()).map(|basis| (last.access.var, basis));
        change.is_some_and(|change| reserved.any(|held| violation.returns_part(change, held, first)))
    };
    let changes: Vec<BasisId> = changes_with(violation, last).into_iter().map(|(change, _)| change).collect();
    let is_beside = |other: &Held, change: BasisId| {
        let bases = violation.basis(other).zip(violation.program.bases.get(change.index()));
        bases.is_some_and(|(theirs, own)| are_others(&theirs.members, &own.members))
    };
    // Who begins anew forgets what was noted; who puts something in under another key does not.
    let own = |held: &Held| violation.basis(held).and_then(|basis| basis.own);
    let is_another = |other: &Held| {
        own(last).zip(own(other)).is_some_and(|(own, theirs)| violation.is_own(last, own, theirs))
    };
    let adds = |other: &Held| {
        violation.amount(other).is_some()
            || violation.basis(other).is_some_and(|basis| basis.checks)
            || is_another(other)
            || changes.iter().all(|change| is_beside(other, *change))
    };
    let mut others =
        violation.by_others(last).filter(|held| !held.reads() && held.access.var == last.access.var);
    if !changes.is_empty() && changes.iter().copied().all(takes_back) && others.all(adds) {
        return Some(Excuse {
            reason: format!(
                "`{event}` takes back what it did to `{variable}` in the critical section in which it looked: that needs no second look"
            ),
            others: Others::These,
        });
    }
    let by = violation.amount(last).filter(|_| !last.reads())?;
    let fills = |held: &&Held| {
        violation.reserves(first, held)
            && held.access.var != last.access.var
            && (violation.amount(held).is_some_and(|amount| amount.number == by.number)
                || violation.is_counted(held, first))
            && violation.decides_with(first, held)
            && violation.takes_back_with(last, held, first)
    };
    let done = violation.before(last).filter(|_| first.access.var == last.access.var).find(fills)?;
    let kept = |other: &Held| {
        violation.amount(other).is_some_and(|amount| amount.less != by.less)
            || violation.goes_by(other, done.access.var)
    };
    let mut others =
        violation.by_others(last).filter(|held| !held.reads() && held.access.var == last.access.var);
    others.all(kept).then(|| Excuse {
        reason: format!(
            "`{event}` has noted in `{}` what it takes, in the critical section in which it looked, and only turns that into what it is \
             of `{variable}`",
            violation.name(done)
        ),
        others: Others::These,
    })
}

impl Violation<'_> {
    /// Whether a change was made by the same event in the critical section of a look.
    fn reserves(&self, look: &Held, change: &Held) -> bool {
        !change.reads() && change.is_locked() && look.is_at_once_with(change)
    }

    /// By how much a variable is changed; a collection, by how many elements.
    fn amount(&self, change: &Held) -> Option<By> {
        let basis = self.basis(change).filter(|_| !change.reads())?;
        basis.by.or_else(|| {
            let less = match basis.change? {
                Change::Put => false,
                Change::Take | Change::Remove => true,
                Change::Clear | Change::Set => return None,
            };
            Some(By { number: By::ONE, less })
        })
    }

    /// Whether what was looked at is put together, in the same critical section, with what a change is about, to decide.
    fn decides_with(&self, look: &Held, change: &Held) -> bool {
        let Some(seen) = self.basis(look) else { return false };
        self.held.iter().any(|held| {
            held.reads()
                && held.access.var == change.access.var
                && held.is_at_once_with(look)
                && self.basis(held).is_some_and(|other| seen.is_decided_with(other))
        })
    }

    /// Whether the critical section of a change takes back another one, that a look has led to.
    fn takes_back_with(&self, last: &Held, done: &Held, look: &Held) -> bool {
        around(self, last).iter().any(|(var, basis)| {
            let change = self.program.bases.get(basis.index()).map(|basis| (*var, basis));
            change.is_some_and(|change| self.returns_part(change, done, look))
        })
    }

    /// Whether a change is made in a critical section that also changes another variable, or because of a look at that there.
    fn goes_by(&self, other: &Held, var: VarId) -> bool {
        let Some(basis) = self.basis(other) else { return false };
        around(self, other).iter().filter(|(with, _)| *with == var).any(|(_, with)| {
            let with_basis = self.program.bases.get(with.index());
            with_basis.is_some_and(|with| with.by.is_some()) || basis.depends_on(*with)
        })
    }
}
