//! Violations whose events end as they would one after the other, though the order of their accesses says otherwise.

use std::collections::HashMap;

use crate::finding::Role;
use crate::finding::another::finds_another;
use crate::finding::enlisted::{looks_after, looks_again};
use crate::finding::reliance::finds_gone;
use crate::finding::section::Ahead;
use crate::finding::violation::{Held, Keeper, Violation};
use crate::ir::*;
use crate::semantics::AccessKind;

/// Why the accesses of a violation may well come in that order, if there is a reason.
pub(in crate::finding) fn commuting(violation: &Violation<'_>) -> Option<String> {
    let (first, last) = violation.ends()?;
    violation
        .compares(first, last)
        .or_else(|| violation.settles(first, last))
        .or_else(|| violation.fills_once(first, last))
        .or_else(|| violation.changes_nothing(first, last))
        .or_else(|| violation.leaves_as_others(first, last))
        .or_else(|| violation.refills(first, last))
        .or_else(|| violation.makes_another(first, last))
        .or_else(|| violation.takes_back(first, last))
        .or_else(|| violation.fills_alike(first, last))
        .or_else(|| violation.keeps_loose(first, last))
        .or_else(|| violation.removes_again(first, last))
        .or_else(|| violation.finds_it_emptied(last))
        .or_else(|| violation.withdraws(first, last))
        .or_else(|| violation.spares_itself(first, last))
        .or_else(|| violation.keeps_entries(first, last))
        .or_else(|| violation.takes_of_more(first, last))
        .or_else(|| violation.sifts_others(first, last))
        .or_else(|| violation.keeps_to_its_claim(first, last))
        .or_else(|| violation.frees_its_own(first, last))
        .or_else(|| violation.finds_gone(first, last))
        .or_else(|| finds_another(violation, first, last))
        .or_else(|| violation.looks_behind_claim(first, last))
        .or_else(|| looks_after(violation, first, last))
}

/// Whether one of the pivot's event's two accesses is about another element of a collection than those of the others that it conflicts
/// with: these are under keys that their events made for themselves, and its key is such a one, too, or was chosen before they came. Or it is
/// such a one, and nobody can know it yet. Or all have taken their keys out of one collection.
pub fn have_own_keys(violation: &Violation<'_>) -> bool {
    let own = |held: &Held| violation.basis(held).and_then(|basis| basis.own);
    let taken = |held: &Held| violation.basis(held).and_then(|basis| basis.taken);
    let took_another = |end: &Held, other: &Held| {
        taken(end)
            .zip(taken(other))
            .is_some_and(|(own, theirs)| own.key == theirs.key && violation.is_own(end, own, theirs))
    };
    violation.has_end_apart(|end, other| {
        took_another(end, other)
            || match (own(end), own(other)) {
                (Some(own), Some(theirs)) => violation.is_own(end, own, theirs),
                (Some(_), None) => violation.is_unknown_before(other, end),
                (None, Some(_)) => violation.is_chosen_before(end, other),
                (None, None) => false,
            }
    })
}

/// Whether a place where a key is handed out has another part in a violation than that its event then puts something in under a key that it
/// has made, and somebody who was given a key takes out what is there under that before.
pub fn hands_out_otherwise(violation: &Violation<'_>) -> bool {
    if !violation.held.iter().any(|held| held.role != Role::Step && violation.hands_out(held)) {
        return false;
    }
    let Some((first, last)) = violation.ends() else { return true };
    let is = |held: &Held, own: bool, change: Change| {
        let basis = violation.basis(held);
        basis.is_some_and(|basis| basis.keyed && basis.own.is_some() == own && basis.change == Some(change))
    };
    let answered = |end: &Held| violation.met(end).all(|held| is(held, false, Change::Remove));
    let is_told = violation.hands_out(first) && first.access.var == last.access.var;
    !(is_told && is(last, true, Change::Set) && answered(first) && answered(last))
}

/// Whether one of the pivot's event's two accesses and those of the others that it conflicts with are about different sides of what may
/// be there: one sees whether there is an entry, the others change what is in it. A schedule that ends with a look ends before what comes with
/// that, which may be about another side.
pub fn have_other_sides(violation: &Violation<'_>) -> bool {
    let of = |id: BasisId| violation.program.bases.get(id.index()).and_then(|basis| basis.side);
    let side = |held: &Held| held.basis.and_then(of);
    let apart = |one: Option<Side>, other: Option<Side>| one.zip(other).is_some_and(|(a, b)| a.is_apart(b));
    let ahead: Vec<BasisId> =
        violation.with_role(Role::Pivot).filter(|last| last.reads()).map_or_else(Vec::new, |last| {
            let ahead = Ahead::of(violation, last);
            let looks = ahead.met.iter().filter(|look| look.var == last.access.var).map(|look| look.basis);
            looks.chain(ahead.changes.iter().map(|(change, _)| *change)).collect()
        });
    let with_it = |end: &Held, other: &Held| {
        end.role != Role::Pivot || ahead.iter().all(|id| apart(of(*id), side(other)))
    };
    violation.has_end_apart(|end, other| apart(side(end), side(other)) && with_it(end, other))
}

/// The locks of which an access on the cycle is to what is in them, and that are not held for it: what Rust lends out of a lock it lends
/// to one holder, so this is another one of its kind, or it is nobody else's, or there is no such run.
pub fn unheld(violation: &Violation<'_>) -> Vec<LockId> {
    let on_cycle = violation.held.iter().filter(|held| held.role != Role::Step);
    let guarded = on_cycle.filter(|held| !violation.hands_out(held)).filter_map(|held| {
        let lock = violation.program.vars[held.access.var.index()].guard?;
        (!held.by.contains(&Keeper::Lock(lock))).then_some(lock)
    });
    guarded.collect()
}

impl Violation<'_> {
    /// Whether the key that an access is about depends on nothing that its event saw after another event's access.
    fn is_chosen_before(&self, held: &Held, other: &Held) -> bool {
        let Some(basis) = self.basis(held).filter(|basis| basis.keyed && basis.data != Causes::Any) else {
            return false;
        };
        let chosen = |seen: &&Held| {
            seen.instance == held.instance && seen.basis.is_some_and(|seen| basis.data.include(seen))
        };
        self.before(held).filter(chosen).all(|seen| self.before(other).any(|held| std::ptr::eq(held, seen)))
    }

    /// Whether another access is about an element by its key, and comes before the event of one that is under a key of its own has changed, or
    /// told, anything: but for numbers, of which its key may be one.
    fn is_unknown_before(&self, other: &Held, held: &Held) -> bool {
        let shows = |own: &Held| {
            !own.reads() && self.basis(own).is_none_or(|basis| basis.counts.is_none()) || self.hands_out(own)
        };
        let mut own = self.before(other).filter(|own| own.instance == held.instance);
        self.is_by_key(other) && !own.any(shows)
    }

    /// Whether an access is about an element by its key, or to what is in an entry that was found by that in the same critical section.
    fn is_by_key(&self, held: &Held) -> bool {
        let Some(basis) = self.basis(held) else { return false };
        let found = |look: &Held| {
            look.access.var == held.access.var
                && look.instance == held.instance
                && look.is_at_once_with(held)
                && self.basis(look).is_some_and(|found| found.keyed)
                && look.basis.is_some_and(|look| basis.depends_on(look))
        };
        let in_entry =
            matches!(basis.side, Some(Side::Inside | Side::Value)) || basis.change == Some(Change::Set);
        basis.keyed || in_entry && self.before(held).any(found)
    }

    /// The pivot's event's accesses before the pivot, with their numbers.
    pub(in crate::finding) fn own<'v>(&'v self, last: &'v Held) -> impl Iterator<Item = (usize, &'v Held)> {
        let before = self.held.iter().enumerate().take_while(move |(_, held)| !std::ptr::eq(*held, last));
        before.filter(move |(_, held)| held.instance == last.instance)
    }

    /// The pivot puts something in because its event found nothing to take: whoever has put something in since is in nobody's way.
    fn makes_another(&self, first: &Held, last: &Held) -> Option<String> {
        let (look, change) = (self.basis(first)?, self.basis(last)?);
        let takes = look.misses && look.change == Some(Change::Take);
        (takes && first.access.var == last.access.var && change.change == Some(Change::Put)).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!("`{event}` found nothing to take in `{variable}`, and puts in something of its own, whatever else is there by then")
        })
    }

    /// The pivot makes something so, which its event looked for before, and nothing else is done, or told, because of that look: where
    /// somebody else has made it so meanwhile, it changes nothing, as if the event had come after that one.
    fn settles(&self, first: &Held, last: &Held) -> Option<String> {
        let (look, change) = (self.basis(first)?, self.basis(last)?);
        let made = self.program.statements().into_iter().find(|stmt| stmt.label == last.label)?;
        let settles = change.settles
            || self.is_spared(first, last)
            || self.leave_the_same(last)
            || match made.kind {
                // What some lower again is a lock of its own to those who raise it.
                // Nor is what is put somewhere the same as what is there.
                StmtKind::SetVar(var, Expr::Const(value @ Value::Bool(_)))
                    if !value_is_there(self.program, var, value) =>
                {
                    self.program.statements().iter().all(|stmt| match &stmt.kind {
                        StmtKind::SetVar(other, Expr::Const(kept)) if *other == var => *kept == value,
                        StmtKind::SetVar(other, _) | StmtKind::Write(other) => *other != var,
                        _ => true,
                    })
                }
                StmtKind::Update(_, class) => self.program.left_by(class).is_some(),
                _ => false,
            };
        // A task that is started because of a look does more than make it so.
        let one_task = first.task == last.task;
        let alone = one_task && first.access.var == last.access.var && first.reads() && !last.reads();
        let used = look.told || look.returned || look.asserts || look.ends || look.decides_beyond;
        // Who insists that it was the one that made it so is no more if somebody else has.
        if !settles || !alone || used || change.asserts {
            return None;
        }
        // Others do so to the same end, or look at what is there by then.
        self.goes_nowhere_else(first, last).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!("what `{event}` does to `{variable}` changes nothing where it is so already, and nothing else goes by what it saw")
        })
    }

    /// The pivot fills what is filled only once, because it was empty; where somebody else was faster it changes nothing, and its event goes
    /// on with what is there then.
    fn fills_once(&self, first: &Held, last: &Held) -> Option<String> {
        let (look, change) = (self.basis(first)?, self.basis(last)?);
        let var = last.access.var;
        let fills = first.reads() && first.access.var == var && change.fills_once() && !change.asserts;
        let used = look.ends || look.decides_beyond;
        if !fills || used || first.task != last.task || !self.goes_nowhere_else(first, last) {
            return None;
        }
        (self.is_filled_once(var) && looks_again(self, last, var, |_| true)).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!("`{variable}` is filled only once: where others were faster, `{event}` changes nothing, and goes on with what is there")
        })
    }

    /// Whether no change but one, wherever it is in the text, and no task goes by a look; or else those that leave what is there anyway.
    fn goes_nowhere_else(&self, look: &Held, change: &Held) -> bool {
        let Some(id) = look.basis else { return false };
        let goes_by_it = |stmt: &&Stmt| {
            let basis = self.program.basis_of(stmt);
            is_change(stmt) && stmt.label != change.label && basis.is_some_and(|basis| basis.depends_on(id))
        };
        let same = self.leave_the_same(change);
        let is_it =
            |stmt: &Stmt| stmt.basis == change.basis || same && stmt.changed() == Some(change.access.var);
        self.program.statements().into_iter().filter(goes_by_it).all(is_it)
    }

    /// Whether a change would leave what its event saw wherever it is not made because of that: whatever others do, it is as if it were
    /// made each time.
    fn is_spared(&self, look: &Held, change: &Held) -> bool {
        let one = self.recurring([look, change]).is_none()
            || self.basis(change).is_some_and(|change| change.path.is_some());
        one && self.basis(change).zip(look.basis).is_some_and(|(change, look)| change.spared.contains(&look))
    }

    /// Both are changes of what all others leave the same there, too, and nobody looks in between.
    fn changes_nothing(&self, first: &Held, last: &Held) -> Option<String> {
        let both = [first, last];
        let same = |held: &Held| !held.reads() && self.leave_the_same(held);
        let looks = |held: &Held| both.iter().any(|end| end.access.var == held.access.var) && held.reads();
        (both.into_iter().all(same) && !self.by_others(last).any(looks)).then(|| {
            let (before, after) = (self.name(first), self.name(last));
            format!("whoever changes `{before}` and `{after}` leaves the same there")
        })
    }

    /// The pivot stores what those who come in between have stored, without looking: as if they came later.
    fn leaves_as_others(&self, first: &Held, last: &Held) -> Option<String> {
        let var = last.access.var;
        let stored = self.basis(last)?.stores.as_ref()?;
        let same = |held: &Held| {
            !held.reads() && self.basis(held).is_some_and(|basis| basis.stores.as_ref() == Some(stored))
        };
        let one = !self.program.vars[var.index()].is_many() && self.recurring([first, last]).is_none();
        let mut others = self.by_others(last).filter(|held| held.access.var == var);
        (one && first.access.var == var && same(last) && others.all(same)).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!("what others leave in `{variable}` in between is what `{event}` leaves there, too")
        })
    }

    /// The pivot puts in what is made of its key, and of what nobody changes, because it was not there; those who come in between have put
    /// in the same, or something under another key.
    fn refills(&self, first: &Held, last: &Held) -> Option<String> {
        let (look, change) = (self.basis(first)?, self.basis(last)?);
        let var = last.access.var;
        let derived = change.derived.as_ref()?;
        let gate = first.reads()
            && first.access.var == var
            && look.keyed == change.keyed
            && first.basis.is_some_and(|look| derived.looks.contains(&look));
        let same = |held: &Held| {
            let theirs = self.basis(held).and_then(|basis| basis.derived.as_ref());
            held.reads() || theirs.is_some_and(|theirs| theirs.number == derived.number)
        };
        let mut others = self.by_others(last).filter(|held| held.access.var == var);
        (gate && others.all(same)).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!("what `{event}` puts into `{variable}` is the same, whoever makes it")
        })
    }

    /// Whether all who change the variable leave the same there.
    pub(in crate::finding) fn leave_the_same(&self, held: &Held) -> bool {
        let Some(Basis { stores: Some(stored), .. }) = self.basis(held) else { return false };
        let var = held.access.var;
        let stores = |stmt: &Stmt| {
            let basis = self.program.basis_of(stmt);
            basis.is_some_and(|basis| basis.stores.as_ref() == Some(stored))
        };
        self.program.changes_of(var).all(stores)
    }

    /// The pivot takes back what its event did in the section that it looked in, and others do the like, or nothing, whatever they
    /// see in between.
    fn takes_back(&self, first: &Held, last: &Held) -> Option<String> {
        let AccessKind::Update(class) = last.access.kind else { return None };
        let var = last.access.var;
        let done = self.own(last).find(|(_, held)| held.access.var == var && self.undoes(last, held));
        let (_, done) = done?;
        let together = std::ptr::eq(first, done) || (!first.since.is_empty() && first.since == done.since);
        if first.access.var != var || !together {
            return None;
        }
        let uses = self.uses();
        let mut others = self.by_others(last).filter(|held| held.access.var == var);
        let commutes = others.all(|other| match other.access.kind {
            AccessKind::Update(own) => own == class,
            AccessKind::Write => false,
            AccessKind::Read => other.basis.is_some_and(|look| {
                let alike = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Update(_, own) if own == class);
                self.leads_only(&uses, var, alike, |basis| basis.depends_on(look))
            }),
        });
        commutes.then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!("`{event}` takes back what it did to `{variable}`: others who see it in between only do less, or more, of the same")
        })
    }

    /// All that is done with a variable is to put something in and to take something out, be it this or that; who finds nothing
    /// there at most puts something in.
    fn keeps_loose(&self, first: &Held, last: &Held) -> Option<String> {
        let var = last.access.var;
        // Who takes one out beside others who only do that gets another one.
        let change = |held: &Held| self.basis(held).and_then(|basis| basis.change);
        let takes = |held: &Held| held.reads() || change(held) == Some(Change::Take);
        let beside = !last.reads()
            && takes(last)
            && self.by_others(last).filter(|held| held.access.var == var).all(takes);
        if first.access.var != var && !beside {
            return None;
        }
        let uses = self.uses();
        let is_put = |stmt: &Stmt| self.change(stmt) == Some(Change::Put);
        let loose = self.program.statements().into_iter().filter(|stmt| accesses(stmt, var)).all(|stmt| {
            match self.change(stmt) {
                Some(Change::Put) => true,
                Some(Change::Take) => {
                    let leads =
                        |take| self.leads_only(&uses, var, is_put, |basis| basis.branch.include(take));
                    beside || stmt.basis.is_some_and(leads)
                }
                Some(Change::Remove | Change::Clear | Change::Set) | None => false,
            }
        });
        loose.then(|| {
            let variable = self.name(last);
            format!("what is in `{variable}` is only put in and taken out, whichever it is: a bug only if it matters how much is made anew")
        })
    }

    /// The pivot's event made sure that there is an entry, or found one, and goes by what it found there; others do no more than to make
    /// one where there is none.
    fn keeps_entries(&self, first: &Held, last: &Held) -> Option<String> {
        let var = first.access.var;
        let makes = |basis: &Basis| basis.checks && matches!(basis.change, None | Some(Change::Set));
        let checks = |held: &Held| !held.reads() && self.basis(held).is_some_and(makes);
        let made = |held: &Held| held.access.var == var && checks(held) && first.is_at_once_with(held);
        // What was found under a key was there.
        let found = |held: &Held| {
            let keyed = held.reads() && self.basis(held).is_some_and(|basis| basis.keyed);
            let used = self.basis(last).zip(held.basis);
            keyed
                && held.access.var == var
                && first.is_at_once_with(held)
                && used.is_some_and(|(last, held)| last.data.include(held))
        };
        let mut others = self.by_others(last).filter(|held| held.access.var == var);
        let kept = last.access.var != var
            && self.before(last).any(|held| made(held) || found(held))
            && others.all(|other| other.reads() || checks(other));
        kept.then(|| {
            let (event, variable) = (self.event(last), self.name(first));
            format!("others only make an entry of `{variable}` where there is none: what `{event}` found there stays as it was")
        })
    }

    /// The pivot's event looks again for what goes with what it saw, and others have taken that out meanwhile.
    fn finds_gone(&self, first: &Held, last: &Held) -> Option<String> {
        finds_gone(self, first, last).then(|| {
            let (event, before, after) = (self.event(last), self.name(first), self.name(last));
            format!(
                "`{event}` looks again, as it changes `{after}`, for what goes with what it saw of `{before}`, and finds it gone"
            )
        })
    }

    /// What its event looked for, to take it out, others have taken out meanwhile.
    fn removes_again(&self, first: &Held, last: &Held) -> Option<String> {
        let both = [first.access.var, last.access.var];
        let removes = |held: &Held| {
            matches!(self.basis(held).and_then(|basis| basis.change), Some(Change::Remove | Change::Clear))
        };
        let untold = |held: &Held| self.basis(held).is_some_and(|basis| !basis.told);
        let others = || self.by_others(last).filter(|held| both.contains(&held.access.var));
        // Of two collections, somebody else has done the same to the second one.
        let done = || others().any(|other| other.basis.is_some() && other.basis == last.basis);
        if self.panics_if_gone(last) {
            return None;
        }
        // What is told is what is taken out by its key, which only one of them finds.
        let found = self.basis(last).is_some_and(|basis| basis.keyed && basis.told && !basis.asserts);
        let gone =
            first.reads() && removes(last) && (found || untold(last)) && (both[0] == both[1] || done());
        // Either who came in between might as well have come first, or it might as well have come last.
        let unseen = |other: &Held| untold(first) || untold(other) || found;
        (gone && others().all(|other| other.reads() || removes(other) && unseen(other))).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!("`{event}` takes out of `{variable}` what others only take out, too: it does not find it any more")
        })
    }

    /// What is taken out by its key others have taken out with all else meanwhile, and nothing is done because of that.
    fn finds_it_emptied(&self, last: &Held) -> Option<String> {
        let change = |held: &Held| self.basis(held).and_then(|basis| basis.change);
        let untold = |basis: &Basis| {
            !(basis.told || basis.returned || basis.asserts || basis.branches || basis.decides)
        };
        let removes = self
            .basis(last)
            .is_some_and(|basis| basis.keyed && basis.change == Some(Change::Remove) && untold(basis));
        // Who empties it may look at it first.
        let empties = |held: &Held| {
            let mut own = self
                .before(last)
                .filter(|own| own.is_at_once_with(held) && own.access.var == last.access.var);
            own.any(|own| change(own) == Some(Change::Clear))
        };
        let mut others = self.met(last).filter(|held| held.access.var == last.access.var).peekable();
        (removes && others.peek().is_some() && others.all(empties)).then(
            || {
                let (event, variable) = (self.event(last), self.name(last));
                format!("others have emptied `{variable}` meanwhile: what `{event}` takes out of it is gone, as if it had come first")
            },
        )
    }

    /// The pivot's event only looked whether there is something to take out, and does nothing else because of it: it does what it
    /// would do without that look.
    fn spares_itself(&self, first: &Held, last: &Held) -> Option<String> {
        let (seen, basis) = self.basis(first).zip(self.basis(last))?;
        let looked = first.reads() && seen.asked == Some(Facet::Presence) && !seen.told;
        let removes = basis.keyed && basis.change == Some(Change::Remove);
        let (first_basis, var) = (first.basis?, last.access.var);
        let uses = self.uses();
        let alone = || {
            self.leads_only(
                &uses,
                var,
                |stmt| stmt.place == last.place,
                |basis| basis.depends_on(first_basis),
            )
        };
        (first.access.var == var && looked && removes && !self.panics_if_gone(last) && alone()).then(|| {
            let (event, variable) = (self.event(last), self.name(last));
            format!("`{event}` takes something out of `{variable}` if it is there, and does nothing else because of that")
        })
    }

    /// Whether the pivot's event panics where others have taken out what it meant to take out.
    fn panics_if_gone(&self, last: &Held) -> bool {
        self.basis(last).is_some_and(|basis| basis.asserts && !basis.avoids)
    }

    fn change(&self, stmt: &Stmt) -> Option<Change> {
        self.program.basis_of(stmt)?.change
    }

    /// The statements with a basis, by it.
    fn uses(&self) -> HashMap<BasisId, &Stmt> {
        let statements = self.program.statements().into_iter();
        statements.filter_map(|stmt| Some((stmt.basis?, stmt))).collect()
    }

    /// Whether all that depends on something is a change of that kind to this variable.
    fn leads_only(
        &self,
        uses: &HashMap<BasisId, &Stmt>,
        var: VarId,
        wanted: impl Fn(&Stmt) -> bool,
        depends: impl Fn(&Basis) -> bool,
    ) -> bool {
        uses.iter().all(|(id, stmt)| {
            let depends = self.program.bases.get(id.index()).is_none_or(&depends);
            !depends || (accesses(stmt, var) && wanted(stmt))
        })
    }
}

/// Whether a statement changes something, or starts a task.
pub(in crate::finding) fn is_change(stmt: &Stmt) -> bool {
    stmt.changed().is_some() || matches!(stmt.kind, StmtKind::Async { .. })
}

/// Whether a statement accesses a variable.
pub(in crate::finding) fn accesses(stmt: &Stmt, var: VarId) -> bool {
    match &stmt.kind {
        StmtKind::Read(x) | StmtKind::Write(x) | StmtKind::Update(x, _) => *x == var,
        StmtKind::SetVar(x, value) => *x == var || names(value, var),
        StmtKind::SetLocal(_, value) | StmtKind::Assume(value) => names(value, var),
        StmtKind::If(value, ..) | StmtKind::While(value, _) | StmtKind::Return(Some(value)) => {
            names(value, var)
        }
        _ => false,
    }
}

fn names(value: &Expr, var: VarId) -> bool {
    match value {
        Expr::Var(x) => *x == var,
        Expr::Not(inner) => names(inner, var),
        Expr::Binary(_, a, b) => names(a, var) || names(b, var),
        Expr::Const(_) | Expr::Local(_) | Expr::Any => false,
    }
}

/// Whether a value stands for something that is there, whatever that is.
fn value_is_there(program: &Program, var: VarId, value: Value) -> bool {
    value == Value::Bool(true) && program.vars[var.index()].domain == Some(Domain::Presence)
}
