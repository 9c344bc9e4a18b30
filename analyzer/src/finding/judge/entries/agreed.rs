//! Looks that are compared with what their event has seen, or left, before: versions, generations, entries of one's own. Who finds something else
//! does nothing, or begins anew.

use crate::finding::commuting::is_change;
use crate::finding::section::{Ahead, looks_behind};
use crate::finding::violation::{Held, Keeper, Violation};
use crate::ir::{Basis, BasisId, Causes, VarId};

/// Whether the pivot's event goes on only if a variable is as it was before, and it is not: there is no such run.
pub fn is_found_out(violation: &Violation<'_>) -> bool {
    let Some((_, last)) = violation.ends() else { return false };
    let Some(pivot) = violation.basis(last) else { return false };
    // What was looked at again is as it was seen then.
    let is_latest = |at: usize, look: &Held| {
        !violation.own(last).any(|(later, held)| later > at && held.basis == look.basis)
    };
    violation.own(last).any(|(at, look)| {
        look.basis.is_some_and(|basis| {
            pivot.depends_on(basis) && pivot.data != Causes::Any && pivot.branch != Causes::Any
        }) && is_latest(at, look)
            && violation.is_different(at, look)
    }) || violation.has_passed_different(last, pivot)
}

impl Violation<'_> {
    /// Whether a look finds something else than what it is compared with: others changed it after that.
    fn is_different(&self, at: usize, look: &Held) -> bool {
        self.basis(look).is_some_and(|basis| self.would_differ(at, (look, look.access.var), basis))
    }

    /// Whether the pivot is done only where such a look in its critical section has found what it is compared with, and that differs. The schedule
    /// leaves the look out where nothing goes by it behind the pivot; it was made all the same.
    fn has_passed_different(&self, last: &Held, pivot: &Basis) -> bool {
        let Some(at) = self.held.iter().position(|held| std::ptr::eq(held, last)) else { return false };
        if pivot.data == Causes::Any || pivot.branch == Causes::Any {
            return false;
        }
        looks_behind(self, last).into_iter().any(|look| {
            let guard = self.program.vars[look.var.index()].guard;
            let is_made = self.own(last).any(|(_, held)| held.basis == Some(look.basis));
            let basis = self.program.bases.get(look.basis.index());
            !is_made
                && guard.is_some_and(|lock| last.by.contains(&Keeper::Lock(lock)))
                && pivot.branch.name(look.basis)
                && basis.is_some_and(|basis| self.would_differ(at, (last, look.var), basis))
        })
    }

    /// Whether a look with this basis finds that, if it is made to a variable by the event of an access, which has this number.
    fn would_differ(&self, at: usize, (access, var): (&Held, VarId), look: &Basis) -> bool {
        let same = |held: &Held| held.access.var == var;
        let is_known = |held: &Held| same(held) && is_compared(look, held, access);
        let Some(known) = self.held[..at].iter().rposition(is_known) else { return false };
        let noticed = |held: &Held| held.basis.is_none_or(|basis| !look.overlooks.contains(&basis));
        self.held[known..at]
            .iter()
            .any(|held| same(held) && held.instance != access.instance && !held.reads() && noticed(held))
    }

    /// The pivot looks whether a variable still is as its event saw or left it, and if it is not, nothing more is done.
    pub(in crate::finding) fn compares(&self, first: &Held, last: &Held) -> Option<String> {
        let pivot = self.held.iter().position(|held| std::ptr::eq(held, last))?;
        let look = self.found_different(pivot, last)?;
        if look.ends {
            return None;
        }
        // Up to what it is compared with, nobody came in between.
        let begun = self.own(last).find(|(_, held)| std::ptr::eq(*held, first)).map(|(at, _)| at)?;
        let known = self.held[..pivot].iter().rposition(|held| is_compared(look, held, last))?;
        let together = !first.since.is_empty() && first.since == self.held[known].since;
        let alone = self.held[begun.min(known)..known]
            .iter()
            .all(|held| held.instance == last.instance || !held.access.conflicts(first.access));
        (together || (begun <= known && alone)).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!("`{event}` goes on only if `{variable}` still is as it saw or left it, and does nothing otherwise")
        })
    }

    /// The pivot puts in what its event has made of what it saw, where a version is still the one that it saw with it; others that come in between
    /// have done the same, in the same place, with that version: what they have put in is as good.
    pub(in crate::finding) fn fills_alike(&self, first: &Held, last: &Held) -> Option<String> {
        let pivot = self.basis(last).filter(|_| first.reads() && !last.reads())?;
        let alone = first.basis.is_some_and(|look| !pivot.data.include(look));
        if first.access.var != last.access.var || !alone || pivot.by.is_some() || pivot.counts.is_some() {
            return None;
        }
        let is_seen_with = |known: &BasisId| {
            self.own(last).any(|(_, held)| held.basis == Some(*known) && held.is_at_once_with(first))
        };
        let compares = |look: &BasisId| {
            let basis = self.program.bases.get(look.index());
            basis.is_some_and(|basis| pivot.branch.name(*look) && basis.compared.iter().any(is_seen_with))
        };
        let behind = looks_behind(self, last);
        let version = behind.iter().find(|look| compares(&look.basis))?;
        let mut others =
            self.by_others(last).filter(|held| held.access.var == last.access.var && !held.reads());
        others.all(|held| held.place == last.place).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            let version = &self.program.vars[version.var.index()].name;
            format!("`{event}` puts into `{variable}` what it has made for a version, `{version}`, that is still the same: so have the others")
        })
    }

    /// The look that finds something else than what it is compared with: the pivot, or, where that only leads to what is compared, a look in its
    /// critical section without which nothing is done that goes by the pivot.
    fn found_different(&self, pivot: usize, last: &Held) -> Option<&Basis> {
        let basis = self.basis(last)?;
        if self.would_differ(pivot, (last, last.access.var), basis) {
            return Some(basis);
        }
        let id = last.basis.filter(|_| last.reads() && !basis.ends)?;
        let looks = Ahead::of(self, last).met;
        let statements = self.program.statements();
        let changes: Vec<&Basis> = statements
            .iter()
            .filter(|stmt| is_change(stmt))
            .filter_map(|stmt| self.program.basis_of(stmt).filter(|basis| basis.depends_on(id)))
            .collect();
        let decides =
            |look: &BasisId| !changes.is_empty() && changes.iter().all(|change| change.branch.name(*look));
        let ahead = looks.iter().filter(|look| look.var == last.access.var).map(|look| look.basis);
        let ahead = ahead.filter(decides).filter_map(|look| self.program.bases.get(look.index()));
        ahead.into_iter().find(|look| self.would_differ(pivot, (last, last.access.var), look))
    }
}

/// Whether a look with this basis is compared with what an access saw or left that the event of another one made.
fn is_compared(look: &Basis, held: &Held, own: &Held) -> bool {
    held.instance == own.instance && held.basis.is_some_and(|known| look.compared.contains(&known))
}
