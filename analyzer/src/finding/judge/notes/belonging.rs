//! What gives a reason to be meant as one piece: without one, a violation is worth a note and no more.
//!
//! There are three reasons. A change that depends on what its event saw before relies on that being so still, and so does a
//! look that panics, or ends the process, if it is not. Variables belong together that all who change them change under one
//! lock, in one critical section, and whose values somebody puts together (the "atomic sets" of Vaziri, Tip, Dolby, POPL 2006,
//! inferred). And who leaves a part of its work to a task of its own means it as one piece of work.

use std::collections::BTreeSet;

use crate::filter::held;
use crate::finding::crosswise::begins_meanwhile;
use crate::finding::drained::comes_after_the_end;
use crate::finding::excuse::{Excuse, Others};
use crate::finding::holders::goes_by_old_count;
use crate::finding::last_out::is_last_out;
use crate::finding::numbered::is_numbered_alike;
use crate::finding::protocol::word;
use crate::finding::published::is_announced;
use crate::finding::queued::stops_working;
use crate::finding::reliance::{Reliance, adds, asserted, finds_what_it_expects, overwrites, reliance};
use crate::finding::replaced::are_replaced_together;
use crate::finding::section::{Look, looks_behind, looks_with};
use crate::finding::taken_entry::is_removed_in_hand;
use crate::finding::unobserved::unobserved;
use crate::finding::unrelated::in_rounds;
use crate::finding::violation::{Held, Keeper, Violation};
use crate::ir::*;
use crate::semantics::{Access, AccessKind};

/// Why nothing says that what the pivot's event does apart was meant as one piece; `None` when something does. That two changes do
/// not belong together is said of those who come in between: others may be shown that they do.
pub(in crate::finding) fn unwarranted(violation: &Violation<'_>) -> Option<Excuse> {
    let whoever = |reason| Some(Excuse { reason, others: Others::Whoever });
    // A program in the tool's own language says what it means.
    if violation.program.bases.is_empty() {
        return None;
    }
    let (first, last) = violation.ends()?;
    if let Some(word) = word(violation, first, last) {
        // Others may do just what this one does.
        let counts = violation.basis(last).is_some_and(|last| last.counts.is_some());
        return Some(Excuse {
            reason: format!(
                "`{}` is changed by compare-exchange, without a lock: what such a protocol relies on is more than this check sees",
                violation.name(word)
            ),
            others: if counts && first.reads() { Others::These } else { Others::Whoever },
        });
    }
    if let Some(end) = owned(violation) {
        return whoever(format!(
            "each call has a value to itself, which cannot be cloned and is made of new parts: a bug only if two such values share `{}`",
            violation.name(end)
        ));
    }
    if let Some(task) = lives_on(violation, first, last) {
        return whoever(format!(
            "`{task}` was started by then and does its work in rounds: a bug only if this round has to find what there was when it was started"
        ));
    }
    let same = first.access.var == last.access.var;
    let recurring = violation.recurring([first, last]);
    // What was seen of one thing need not be about that one of many others, unless it is what led there.
    let one_of_many = !same && recurring.is_some() && !goes_by_old_count(violation);
    let relies = match reliance(violation, first, last) {
        // What was changed before is relied on only if somebody may have changed it since.
        // A look at another variable, where the first one led, finds what is there by then: that is stale only if both have to agree.
        Some(Reliance::Data) => {
            (same || !last.reads()) && (first.reads() || violation.is_changed_by_others(first))
        }
        // That something was changed says less about what was seen than a look does.
        // Who leaves a waker waits for what was looked at.
        Some(Reliance::Branch) if is_there_still(violation, first, last) => false,
        Some(Reliance::Branch) => {
            let about =
                || is_about(violation, first, last) || violation.basis(last).is_some_and(|last| last.wakes);
            let told = is_counted_anew(violation, first, last) || stops_working(violation);
            (first.reads() || told) && !one_of_many && (same || told || about())
        }
        Some(Reliance::Independent) if stops_working(violation) && !one_of_many => true,
        Some(
            Reliance::Replaced
            | Reliance::Overwritten
            | Reliance::Named
            | Reliance::Apart
            | Reliance::Emptied
            | Reliance::Cleared,
        ) => true,
        _ => is_begun_anew(violation, first, last),
    };
    let insists = match asserted(violation, first, last) {
        _ if one_of_many || violation.basis(last).is_some_and(|basis| basis.avoids) => false,
        Some(Reliance::Data | Reliance::Replaced) => true,
        Some(Reliance::Branch) => {
            first.reads() && !is_found_here(violation, last) && (same || is_about(violation, first, last))
        }
        _ => false,
    };
    let ends = |held: &Held| violation.basis(held).is_some_and(|basis| basis.ends);
    let goes_on =
        || violation.basis(last).zip(first.basis).is_none_or(|(last, first)| last.depends_on(first));
    let decide = [first, last].into_iter().all(|held| held.reads() && ends(held))
        && (goes_on() || violation.meet(first, last));
    // What one look found is demanded of what another one found.
    let indexes = |one: &Held, other: &Held| {
        let indexed = |look: Look| {
            let look = violation.program.bases.get(look.basis.index());
            look.zip(other.basis).is_some_and(|(look, other)| look.indexed.contains(&other))
        };
        looks_with(violation, one).into_iter().any(indexed)
    };
    let clash = same && (indexes(first, last) || indexes(last, first));
    // One look is taken away from the other, and others make the one more, or the other less, in between.
    let lessens = |one: &Held, other: &Held| {
        one.reads()
            && other.reads()
            && violation.basis(one).zip(other.basis).is_some_and(|(one, other)| one.lessened.contains(&other))
    };
    let changed = |but: &[Change]| {
        let change = |held: &Held| violation.basis(held).and_then(|basis| basis.change);
        let mut others = violation.by_others(last).filter(|held| held.access.var == last.access.var);
        others.any(|held| !held.reads() && change(held).is_none_or(|change| !but.contains(&change)))
    };
    let difference = same && (lessens(first, last) || lessens(last, first));
    let falls_short = same
        && (lessens(first, last) && changed(&[Change::Take, Change::Remove, Change::Clear])
            || lessens(last, first) && changed(&[Change::Put, Change::Set]));
    let changes = first.reads() && !last.reads() && same;
    let split = violation.starts(first.task, last.task)
        && is_one_piece(violation, first, last)
        // Who serves has no work that ends, of which something could be left to a task, or be a task's.
        && ![first, last].into_iter().any(|held| violation.serves(held));
    let mut others = violation.by_others(last).filter(|held| held.access.var == last.access.var);
    let adds_only = (insists || clash) && others.all(|held| leaves(violation, held, last));
    let warranted = is_announced(violation, first, last)
        || is_last_out(violation, first, last)
        || is_numbered_alike(violation, first, last)
        || begins_meanwhile(violation, first, last)
        || is_in_hand(violation, first, last)
        || comes_after_the_end(violation, first, last)
        || is_removed_in_hand(violation, first, last);
    let demands = decide || falls_short || (insists || clash) && !adds_only || warranted;
    let begun_anew = || is_begun_anew(violation, first, last);
    if !changes
        && !demands
        && !split
        && !begun_anew()
        && let Some(excuse) = unobserved(violation)
    {
        return Some(excuse);
    }
    if changes || relies || demands {
        return None;
    }
    if finds_what_it_expects(violation, last) {
        return Some(Excuse {
            reason: format!(
                "what `{}` finds in `{}` is what it expects there, whatever it saw before",
                violation.event(last),
                violation.name(last)
            ),
            others: Others::These,
        });
    }
    if difference {
        return Some(Excuse {
            reason: format!(
                "what `{}` takes away from what it saw of `{}` is no more than that, whatever others do here",
                violation.event(last),
                violation.name(last)
            ),
            others: Others::These,
        });
    }
    if adds_only {
        return Some(Excuse {
            reason: format!(
                "others only put something into `{}` here: what `{}` found there is there still",
                violation.name(last),
                violation.event(last)
            ),
            others: Others::These,
        });
    }
    if let Some(end) = recurring {
        return whoever(format!(
            "there are many of `{}`, each made by, or given to, another call: a bug only if all of these accesses are to the same one",
            violation.name(end)
        ));
    }
    if split || is_taken_early(violation, first, last) {
        return None;
    }
    let [one, other] = [first, last].map(|held| violation.name(held));
    if same {
        return match (first.reads(), last.reads()) {
            (true, true) => whoever(format!(
                "`{one}` is looked at twice, and nothing is changed because of it: a bug only if both looks have to agree"
            )),
            // Who does the same may make more of it.
            (false, true) => Some(Excuse {
                reason: format!(
                    "`{one}` is changed and looked at again: a bug only if nobody else may change it in between"
                ),
                others: if violation.basis(last).is_some_and(|last| last.number.is_some()) {
                    Others::These
                } else {
                    Others::Whoever
                },
            }),
            // Who changes it, in between, may do more harm than who looks.
            _ => Some(Excuse {
                reason: format!(
                    "`{one}` is changed twice: a bug only if nobody may see what it holds in between"
                ),
                others: Others::These,
            }),
        };
    }
    if violation.is_with_itself(last) {
        return Some(Excuse {
            reason: format!(
                "whoever comes in between does the same to `{one}` and `{other}`: a bug only if what one holds has to agree with the other"
            ),
            others: Others::These,
        });
    }
    (!belong_together(violation, first, last)).then(|| Excuse {
        reason: format!(
            "nothing says that `{one}` and `{other}` belong together: a bug only if what one holds has to agree with the other"
        ),
        others: if first.reads() || last.reads() { Others::Whoever } else { Others::These },
    })
}

/// Whether a look panics unless something is there, and others only put something in: what it has found is there still.
fn is_there_still(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let mut others = violation
        .between(first, last)
        .filter(|held| held.instance != first.instance && held.access.var == first.access.var);
    first.reads()
        && violation.basis(first).is_some_and(|basis| basis.asserts && !basis.misses)
        && others.all(|held| leaves(violation, held, first))
}

/// Whether an access leaves what was there, as far as a look goes by it: what is only added to still has what it had, and so has what is only filled
/// where nothing is. Where something is put in the place of what was under a key, something is there still, but not the same.
fn leaves(violation: &Violation<'_>, held: &Held, look: &Held) -> bool {
    let value = violation.basis(look).is_some_and(|basis| basis.asked == Some(Facet::Value));
    let adds = |basis: &Basis| match basis.change {
        Some(Change::Set) => !value,
        Some(change) => change == Change::Put,
        None => basis.fills_once() || basis.makes_entry(),
    };
    held.reads() || violation.basis(held).is_some_and(adds)
}

/// Whether what a task does last is a part of the work that its starter has begun: it shows or changes what that has left there for it, or changes what
/// belongs together with that. Of two looks, if a decision goes by both.
fn is_one_piece(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    if first.reads() {
        return last.reads() && violation.decide_together(first, last);
    }
    if first.access.var != last.access.var {
        let looked_at = |end: &Held| {
            violation.by_others(last).any(|held| held.reads() && held.access.var == end.access.var)
        };
        if last.reads() {
            // Who comes in between has seen the one, and decides by the other what is done here.
            return looked_at(first) && violation.basis(last).is_none_or(|basis| basis.decides);
        }
        // Two variables with a lock each are two pieces of work, unless who comes in between looks at both.
        return !have_own_locks(first, last) || looked_at(first) && looked_at(last);
    }
    if !last.reads() {
        // What is put in for as long as the work lasts is there for others to see.
        return !is_looked_at_again(violation, last) && !violation.undoes(last, first);
    }
    let found = reliance(violation, first, last);
    // Who looks in the rounds of a loop watches what others do to it.
    let watches = in_rounds(violation.program, violation.trace.tasks[last.task].proc, last.label);
    let of_many = violation.program.vars[last.access.var.index()].is_many()
        || violation.basis(last).is_some_and(|basis| basis.keyed);
    !watches
        // What it looks at again before it changes anything it does not rely on.
        && found != Some(Reliance::Rechecked)
        // Of many, one that is only looked at is there, or it is not.
        && (!of_many || found.is_some())
        // Who only adds to what is there leaves it to whoever looks, be it an own task, unless both are put together.
        && (!adds(violation, first) || violation.meet(first, last))
        // Who takes out what was put in before, and finds that somebody else has done so, is done.
        && !violation.undoes(last, first)
}

/// Whether one of the pivot's event's two accesses is to a part of a value that each call has to itself that does something on the cycle to
/// the same, and that nobody can clone.
fn owned<'v>(violation: &'v Violation<'_>) -> Option<&'v Held> {
    let owner = |held: &Held| violation.basis(held).and_then(|basis| basis.owner);
    let lender = |held: &Held| violation.basis(held).and_then(|basis| basis.lender);
    // Who borrows it keeps it from whoever has it alone, and the other way round.
    let keeps = |one: &Held, other: &Held| {
        owner(one).is_some_and(|own| [owner(other), lender(other)].contains(&Some(own)))
    };
    let alone =
        |end: &Held, other: &Held| (keeps(end, other) || keeps(other, end)) && violation.is_in_turn(end);
    violation.end_apart(alone)
}

/// A task that the event has started between the two accesses, or before, and that makes the last one in a round of its own, when it has
/// waited: for that it does not go by what its starter saw or did, unless that goes into it.
fn lives_on<'v>(violation: &'v Violation<'_>, first: &Held, last: &Held) -> Option<&'v str> {
    let basis = violation.basis(last).filter(|basis| basis.round)?;
    let goes_in = first.basis.is_none_or(|first| basis.data.include(first));
    let lives_on = first.task != last.task && violation.starts(first.task, last.task) && !goes_in;
    lives_on.then(|| violation.program.proc(violation.trace.tasks[last.task].proc).name.as_str())
}

/// Whether what is done goes by what was left of a number as its event took its part off, or by what was there as it added that, and others have done the
/// opposite since: who was the last, or the first, is it no more.
pub(in crate::finding) fn is_counted_anew(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let counts = |held: &Held| violation.basis(held).and_then(|basis| basis.counts);
    let goes_by = violation.basis(last).zip(first.basis).is_some_and(|(last, first)| last.branch.name(first));
    let opposite = |held: &Held| {
        held.instance != first.instance
            && held.access.var == first.access.var
            && counts(held).zip(counts(first)).is_some_and(|(theirs, own)| theirs != own)
    };
    first.task == last.task
        && first.access.var != last.access.var
        && !first.reads()
        && !last.reads()
        && goes_by
        && violation.between(first, last).any(opposite)
}

/// Whether something is taken out of one variable, and only then another one says, until that is taken back, that somebody has it: who
/// comes in between, looks at both at once and goes by both, sees it nowhere.
pub(in crate::finding) fn is_in_hand(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let is = |held: &Held, what: fn(&Basis) -> bool| violation.basis(held).is_some_and(what);
    let takes = |basis: &Basis| basis.change.is_some_and(Change::takes_one);
    let puts = |basis: &Basis| basis.change.is_some_and(Change::puts_in);
    let notes =
        |basis: &Basis| basis.change.is_some_and(Change::puts_in) || basis.by.is_some_and(|by| !by.less);
    let undoes = |stmt: &&Stmt| {
        let basis = violation.program.basis_of(stmt);
        basis.zip(last.basis).is_some_and(|(basis, noted)| basis.undoes.contains(&noted))
    };
    let goes_by = |look: &Held, end: &Held| {
        let used = |basis: &Basis| basis.branches || basis.told || basis.returned;
        look.instance != last.instance && look.reads() && look.access.var == end.access.var && is(look, used)
    };
    let looks = |end: &'_ Held| -> Vec<&Held> {
        violation.between(first, last).filter(|look| goes_by(look, end)).collect()
    };
    // At once, or in the one because it was not found in the other.
    let together = |one: &Held, other: &Held| {
        let because = one.instance == other.instance
            && violation.basis(other).zip(one.basis).is_some_and(|(other, one)| other.branch.name(one));
        one.is_at_once_with(other) || because
    };
    // What was taken is put there.
    let moves = || {
        is(last, puts)
            && violation.basis(last).zip(first.basis).is_some_and(|(last, first)| last.data.name(first))
    };
    // It has said so as it took it.
    let said = |held: &Held| {
        held.instance == last.instance
            && held.access.var == last.access.var
            && held.is_at_once_with(first)
            && is(held, notes)
    };
    first.task == last.task
        && first.access.var != last.access.var
        && violation.recurring([first, last]).is_none()
        && is(first, takes)
        && is(last, notes)
        && !violation.before(last).any(said)
        && looks(first).iter().any(|one| looks(last).iter().any(|other| together(one, other)))
        && (moves() || violation.program.statements().iter().any(undoes))
}

/// Whether each access is under a lock, and none of these is a lock of both.
pub(in crate::finding) fn have_own_locks(first: &Held, last: &Held) -> bool {
    let locks = |held: &Held| -> BTreeSet<LockId> {
        let lock = |keeper: &Keeper| if let Keeper::Lock(lock) = keeper { Some(*lock) } else { None };
        held.by.iter().filter_map(lock).collect()
    };
    let [one, other] = [first, last].map(locks);
    !one.is_empty() && !other.is_empty() && one.is_disjoint(&other)
}

/// Whether what was seen of one variable says something of what is done to another one, if it only decides whether that is done. Of
/// variables that no lock is held for, flags and counters of a protocol, it need not. Nor need whether there is an entry of a collection:
/// that is about its key. So it is about another entry, it may be about what the event got out of that collection, and about what is
/// kept, or changed by somebody, together with it.
fn is_about(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let is_kept = |held: &Held| !held.by.is_empty();
    if !is_kept(first) && !is_kept(last) {
        return false;
    }
    let keyed = |held: &Held| violation.basis(held).is_none_or(|basis| basis.keyed);
    if !keyed(first) || keyed(last) {
        return true;
    }
    let both = [first.access.var, last.access.var];
    let goes_in = |held: &Held| {
        let used = violation.basis(last).zip(held.basis).is_none_or(|(last, held)| last.data.include(held));
        held.instance == last.instance && held.access.var == first.access.var && used
    };
    violation.before(last).any(goes_in)
        || !keepers(violation, &both).is_empty()
        || changed_together(violation, last, &both)
}

/// Whether what goes into a change came out of another variable as its event took it from there, and somebody has begun anew with both
/// meanwhile, whatever they held: it is taken off, or added to, what it is no part of any more.
pub(in crate::finding) fn is_begun_anew(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let taken_out = |first: BasisId| violation.basis(last).is_some_and(|basis| basis.data.include(first));
    let anew = |var: VarId| {
        violation.by_others(last).any(|held| held.access.var == var && overwrites(violation, held))
    };
    first.access.var != last.access.var
        && first.basis.is_some_and(taken_out)
        && !first.reads()
        && !last.reads()
        && !overwrites(violation, last)
        && anew(first.access.var)
        && anew(last.access.var)
}

/// Whether a variable is changed because of what it was found to be in the same critical section, or with a panic unless it was: whoever
/// does that is ready for what others have made of it.
fn is_looked_at_again(violation: &Violation<'_>, last: &Held) -> bool {
    let Some(basis) = violation.basis(last).filter(|_| !last.reads()) else { return false };
    let asserts = |look: &Look| {
        let look = violation.program.bases.get(look.basis.index());
        look.is_some_and(|look| look.asserts)
    };
    let goes_by = |look: &Look| basis.branch.include(look.basis) || asserts(look);
    let decides = |look: &Look| look.var == last.access.var && goes_by(look);
    looks_behind(violation, last).iter().any(decides)
}

/// Whether what is looked at is what another look led to, in the same critical section: it is as it was found there, whatever was seen
/// before that.
fn is_found_here(violation: &Violation<'_>, last: &Held) -> bool {
    let basis = violation.basis(last);
    let leads = |look: &Look| basis.is_some_and(|basis| basis.data.include(look.basis));
    looks_behind(violation, last).iter().any(leads)
}

/// Whether two variables have to agree with each other, and somebody is shown that they do not. All who change them do so under one
/// lock. If the pivot's event looks at them apart, it puts together what it saw, somebody else changes both at once, and one of them is
/// changed by nobody else without the other; if it changes them apart, who comes in between looks at both at once, and puts that
/// together, and nobody else changes either of them without the other.
fn belong_together(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let both = [first.access.var, last.access.var];
    // Who decides by two looks may well look again; who is told of both cannot.
    let apart = first.reads() && last.reads() && violation.are_told_together(first, last);
    let among: Vec<&Held> = violation.held.iter().filter(|held| both.contains(&held.access.var)).collect();
    let follows = |later: &Held, look: &Held| {
        let depends =
            violation.basis(later).zip(look.basis).is_none_or(|(later, look)| later.depends_on(look));
        depends && violation.before(later).any(|held| std::ptr::eq(held, look))
    };
    let seen = |a: &Held, b: &Held| match (a.reads(), b.reads()) {
        (true, true) => violation.are_told_together(a, b),
        (true, false) => follows(b, a),
        (false, _) => false,
    };
    let at_once = |a: &Held, b: &Held| {
        a.instance != last.instance && a.access.var != b.access.var && a.is_at_once_with(b) && seen(a, b)
    };
    // What two tasks of an event change, each does on its own; so does who changes both each time. Where both are replaced, a lock that only
    // writers take makes nothing whole to those who look.
    let replaces = |held: &Held| violation.basis(held).is_some_and(|basis| basis.change.is_none());
    let is_shown = |by: &Keeper| among.iter().any(|held| held.reads() && held.by.contains(by));
    let one_section = |held: &Held| {
        let mut common = held.by.iter().filter(|by| first.by.contains(by));
        held.is_at_once_with(first) && (!replaces(first) || !replaces(held) || common.any(is_shown))
    };
    let whole =
        among.iter().any(|held| !held.reads() && held.access.var == last.access.var && one_section(held));
    let changed_apart = !first.reads() && !last.reads() && first.task == last.task && !whole;
    let noticed = || among.iter().any(|a| among.iter().any(|b| at_once(a, b)));
    // Who looks at both under the locks of both, which have one each, takes them for one thing.
    let under_both = || {
        let [ones, others] = both.map(|var| keepers(violation, &[var]));
        let under = |held: &Held, keepers: &[Keeper]| held.by.iter().any(|by| keepers.contains(by));
        among.iter().any(|a| among.iter().any(|b| at_once(a, b) && under(b, &ones) && under(b, &others)))
    };
    let never_alone = || {
        let alone = |one, other| violation.changes_without(one, other).is_none_or(|places| places <= 1);
        alone(both[0], both[1]) && alone(both[1], both[0])
    };
    let together = || changed_together(violation, last, &both);
    let one_keeper = || keepers(violation, &both).iter().any(|keeper| is_meant(violation, *keeper, &both));
    if are_replaced_together(violation, first, last) {
        return true;
    }
    changed_apart && noticed() && never_alone() && (one_keeper() || under_both())
        || apart && together() && one_keeper()
}

/// Whether somebody comes in between who takes out of one variable what the pivot's event puts into it, because of what is in the other one,
/// which that event has changed already, or has still to change: what is put in later is there for nobody.
pub(in crate::finding) fn is_taken_early(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    if first.reads() || last.reads() || first.access.var == last.access.var {
        return false;
    }
    [(first, last), (last, first)].into_iter().any(|(other, entered)| {
        // Who takes out what it has put in itself leaves what others do.
        let is_its_own = |held: &Held| {
            let mut own = violation.before(held).filter(|own| own.instance == held.instance);
            own.any(|own| violation.undoes(held, own))
        };
        let mut out =
            violation.met(entered).filter(|held| takes_out(violation, entered, held) && !is_its_own(held));
        out.any(|out| {
            let with_it = |held: &Held| {
                held.access.var == other.access.var
                    && held.is_at_once_with(out)
                    && takes_out(violation, other, held)
            };
            goes_by(violation, out, other.access.var) || violation.held.iter().any(with_it)
        })
    })
}

/// Whether a change takes out of a variable, or off it, what another one puts in, or adds.
fn takes_out(violation: &Violation<'_>, entered: &Held, out: &Held) -> bool {
    let changed = violation.basis(out).filter(|_| !out.reads());
    let Some((entered, out)) = violation.basis(entered).zip(changed) else { return false };
    let elements = entered.change.is_some_and(Change::puts_in) && out.change.is_some_and(Change::takes_one);
    let counted = entered.by.is_some_and(|by| !by.less);
    elements || counted && out.stores.is_none() && out.by.is_none_or(|by| by.less)
}

/// Whether a change depends on what its event found in a variable.
fn goes_by(violation: &Violation<'_>, change: &Held, var: VarId) -> bool {
    let Some(basis) = violation.basis(change) else { return false };
    violation.program.statements().into_iter().any(|statement| {
        let finds = match &statement.kind {
            StmtKind::Read(x) | StmtKind::Write(x) | StmtKind::Update(x, _) | StmtKind::SetVar(x, _) => {
                *x == var
            }
            _ => false,
        };
        finds && statement.basis.is_some_and(|access| basis.depends_on(access))
    })
}

/// Whether an event other than that of this access changes both of two variables under one lock, and none of them changes each alone.
fn changed_together(violation: &Violation<'_>, last: &Held, [one, other]: &[VarId; 2]) -> bool {
    let program = violation.program;
    let own: Vec<ProcId> = violation
        .trace
        .tasks
        .iter()
        .filter(|task| task.instance == last.instance)
        .map(|task| task.proc)
        .collect();
    let (mut together, mut alone) = (false, [false; 2]);
    let all = held::Tasks::new(program);
    for task in tasks(violation).into_iter().filter(|task| !own.contains(task)) {
        let Some(accesses) = all.accesses(task) else { return false };
        let locked = |var: VarId| -> Vec<BTreeSet<LockId>> {
            let changes =
                accesses.iter().filter(|(access, _)| access.kind != AccessKind::Read && access.var == var);
            changes.map(|(_, context)| context.locks.iter().map(|(lock, _)| lock).collect()).collect()
        };
        let on_one = Keeper::executor(program, task).is_some();
        let [ones, others] = [one, other].map(|var| locked(*var));
        for (number, (these, those)) in [(&ones, &others), (&others, &ones)].into_iter().enumerate() {
            for locks in these {
                let with = those.iter().any(|other| on_one || !locks.is_disjoint(other));
                together |= with;
                alone[number] |= !with;
            }
        }
    }
    together && alone != [true; 2]
}

/// The events, and the tasks of the schedule.
pub(in crate::finding) fn tasks(violation: &Violation<'_>) -> BTreeSet<ProcId> {
    violation.trace.tasks.iter().map(|task| task.proc).chain(violation.program.events()).collect()
}

/// Whether what everybody has who changes these variables is meant to keep others out: a lock, or an executor on which somebody looks at one of
/// them. The thread of a loop that alone changes them keeps out nobody but itself.
fn is_meant(violation: &Violation<'_>, keeper: Keeper, vars: &[VarId]) -> bool {
    if matches!(keeper, Keeper::Lock(_)) {
        return true;
    }
    let program = violation.program;
    let all = held::Tasks::new(program);
    let looks = |task: ProcId| {
        let accesses = all.accesses(task).into_iter().flatten();
        accesses.into_iter().any(|(access, _)| access.kind == AccessKind::Read && vars.contains(&access.var))
    };
    let mut there =
        tasks(violation).into_iter().filter(|task| Keeper::executor(program, *task) == Some(keeper));
    there.any(looks)
}

/// The locks and executors that everybody has who changes one of these variables.
fn keepers(violation: &Violation<'_>, vars: &[VarId]) -> Vec<Keeper> {
    let program = violation.program;
    let mut common: Option<Vec<Keeper>> = None;
    let all = held::Tasks::new(program);
    for task in tasks(violation) {
        let Some(accesses) = all.accesses(task) else { continue };
        let changes = |access: &Access| access.kind != AccessKind::Read && vars.contains(&access.var);
        for (_, context) in accesses.iter().filter(|(access, _)| changes(access)) {
            let locks = context.locks.iter().filter(|(_, mode)| *mode == Mode::Exclusive);
            let here: Vec<Keeper> =
                locks.map(|(lock, _)| Keeper::Lock(lock)).chain(Keeper::executor(program, task)).collect();
            common = Some(match common {
                None => here,
                Some(common) => common.into_iter().filter(|keeper| here.contains(keeper)).collect(),
            });
        }
    }
    common.unwrap_or_default()
}
