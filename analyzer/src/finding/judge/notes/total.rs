//! Critical sections that work on what is there by then: a look before the lock only said that it is worth while.

use crate::finding::section::around;
use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, BasisId, Causes, Change, VarId};

/// Whether all that is changed along with the last access takes something, whatever is there by then, comes of what was taken, or stores what is made
/// of what is looked at there: it is as well done though the look before has become old. Whoever takes has to go by what it got, and must not insist
/// on it.
pub(in crate::finding) fn works_on_what_is_there(
    violation: &Violation<'_>,
    first: &Held,
    last: &Held,
) -> bool {
    let Some(last_basis) = last.basis else { return false };
    if !first.reads() || first.is_at_once_with(last) {
        return false;
    }
    let accesses = match last.is_locked() {
        true => around(violation, last),
        false => vec![(last.access.var, last_basis)],
    };
    let section = Section::of(violation, first, accesses);
    let does = |change: &(VarId, BasisId)| section.takes(*change) || section.is_made_there(*change);
    section.changes.iter().any(does) && section.changes.iter().all(|change| section.is_total(*change))
}

/// What the program text has in the critical section of an access.
struct Section<'v, 'a> {
    violation: &'v Violation<'a>,
    /// The look before it.
    first: &'v Held,
    accesses: Vec<(VarId, BasisId)>,
    /// Those that change something.
    changes: Vec<(VarId, BasisId)>,
}

impl<'v, 'a> Section<'v, 'a> {
    fn of(violation: &'v Violation<'a>, first: &'v Held, accesses: Vec<(VarId, BasisId)>) -> Self {
        let statements = violation.program.statements();
        let is_change = |(_, id): &(VarId, BasisId)| {
            statements.iter().any(|stmt| stmt.basis == Some(*id) && stmt.changed().is_some())
        };
        let changes = accesses.iter().copied().filter(is_change).collect();
        Section { violation, first, accesses, changes }
    }

    fn basis(&self, id: BasisId) -> Option<&Basis> {
        self.violation.program.bases.get(id.index())
    }

    fn is_total(&self, change: (VarId, BasisId)) -> bool {
        self.takes(change)
            || self.goes_by_taken(change.1)
            || self.is_made_there(change)
            || self.is_noted(change)
    }

    /// Takes one of what is there, or all of it, and goes by what it got.
    fn takes(&self, (var, id): (VarId, BasisId)) -> bool {
        let takes = |basis: &Basis| match basis.change {
            Some(Change::Take) => true,
            Some(Change::Clear) => basis.told || basis.returned,
            _ => false,
        };
        let goes_by_it = |basis: &Basis| basis.told || basis.returned || basis.decides || basis.branches;
        var != self.first.access.var
            && self.basis(id).is_some_and(|basis| {
                takes(basis) && goes_by_it(basis) && !basis.asserts && !basis.keyed && !basis.ends
            })
    }

    /// Is done because something was taken there.
    fn goes_by_taken(&self, id: BasisId) -> bool {
        let taken = |(var, taken): &(VarId, BasisId)| {
            self.takes((*var, *taken))
                && self.basis(id).is_some_and(|basis| basis.branch.name(*taken) || basis.data.name(*taken))
        };
        self.changes.iter().any(taken) && !self.goes_by_first(id)
    }

    /// Stores something in the place of what was there, which is made of what other variables hold there, and of nothing else.
    fn is_made_there(&self, (var, id): (VarId, BasisId)) -> bool {
        let Some(basis) = self.basis(id) else { return false };
        let Causes::These(made_of) = &basis.data else { return false };
        let is_there = |cause: &BasisId| self.accesses.iter().any(|(other, id)| other != &var && id == cause);
        basis.change.is_none()
            && basis.counts.is_none()
            && !basis.exchange
            && !made_of.is_empty()
            && made_of.iter().all(is_there)
    }

    /// Stores a constant where the look was made, for the next one who looks.
    fn is_noted(&self, (var, id): (VarId, BasisId)) -> bool {
        var == self.first.access.var && self.basis(id).is_some_and(|basis| basis.stores.is_some())
    }

    /// What was seen before goes into it.
    fn goes_by_first(&self, id: BasisId) -> bool {
        let first = self.first.basis;
        self.basis(id).zip(first).is_none_or(|(basis, first)| basis.data.include(first))
    }
}
