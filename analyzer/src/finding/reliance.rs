//! What the pivot relies on: which of its event's earlier accesses decide what it does.

use super::drawn::{are_taken_apart, is_still_drawn};
use super::excuse::{Excuse, Others};
use super::found_again::{is_counted_in, is_found_again, is_found_if_left, is_listed};
use super::holders::leaves_it_to_others;
use super::messages::{is_inquired_and_told, is_of_another, is_sent_early, starts};
use super::published::{
    empties_and_fills, is_cleared_late, is_emptied_apart, is_named_early, is_replaced_apart,
};
use super::queued::stops_working;
use super::section::{Ahead, Look, looks_behind, looks_with};
use super::total::works_on_what_is_there;
use super::violation::{Held, Violation};
use crate::ir::*;
use crate::semantics::{Access, AccessKind};

/// How an access depends on what its event saw, or changed, of a variable before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reliance {
    /// What it saw goes into what is stored, or says what is accessed.
    Data,
    /// What it saw decides whether there is this access.
    Branch,
    /// It takes out what its event put in, or what another one has put there instead; or it panics unless that is there still.
    Replaced,
    /// It puts in something under a key that was handed out before.
    HandedOut,
    /// It is what somebody goes by who was sent something before.
    Sent,
    /// A task that was started before does the like.
    Started,
    /// It takes the next answer, after its event has asked.
    Answered,
    /// It tells an actor to change what its event has asked it for.
    Told,
    /// It leaves what others were seen to hold, too.
    Left,
    /// It puts in what a key leads to that was put in before.
    Named,
    /// It puts something else in the place of what was taken out before.
    Apart,
    /// It puts something into what was emptied before.
    Emptied,
    /// It clears what belongs to what was taken out before, whatever is there by then.
    Cleared,
    /// What was there when it changed a number decides that it stores another one, whatever is there by then.
    Overwritten,
    /// What it saw is looked at again in the critical section of the change, which that look can still avoid.
    Rechecked,
    /// It is a compare-exchange, or comes after one that was won: what was seen is looked at again as it is changed.
    Exchanged,
    /// What was seen was also changed, then and there: what comes later fills the place that was taken.
    Claimed,
    /// It takes all that is there by then, and goes on with that, or goes by what such an access took.
    Taken,
    /// It comes with others, all of which work on what is there by then.
    Total,
    /// It would be the same access whatever was seen.
    Independent,
}

/// How the last access depends on those that its event made before it to the variable of the first; of a look, or a change that goes
/// by none of them, how a change depends on them that comes with it: a violation ends with the first access that is too late, before
/// the others are made. `None` when the program does not say.
pub(super) fn reliance(violation: &Violation<'_>, first: &Held, last: &Held) -> Option<Reliance> {
    let found = relied_on(violation, (first, last), false)?;
    let is_total = found == Reliance::Branch && works_on_what_is_there(violation, first, last);
    Some(if is_total { Reliance::Total } else { found })
}

/// Whether who came in between has taken something along with what the pivot's event saw, which that event looks for again and
/// does not find.
pub(super) fn finds_gone(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let rechecked = |along| relied_on(violation, (first, last), along) == Some(Reliance::Rechecked);
    !rechecked(false) && rechecked(true)
}

/// As [`reliance`]; `along`: a look for what went along with what was seen is a look again.
fn relied_on(violation: &Violation<'_>, (first, last): (&Held, &Held), along: bool) -> Option<Reliance> {
    if violation.hands_out(first) {
        return Some(Reliance::HandedOut);
    }
    if is_sent_early(violation) {
        return Some(if starts(violation) { Reliance::Started } else { Reliance::Sent });
    }
    if is_of_another(violation) {
        return Some(Reliance::Answered);
    }
    if is_inquired_and_told(violation) {
        return Some(Reliance::Told);
    }
    if leaves_it_to_others(violation) {
        return Some(Reliance::Left);
    }
    if is_named_early(violation, first, last) {
        return Some(Reliance::Named);
    }
    if is_replaced_apart(violation, first, last) {
        return Some(Reliance::Apart);
    }
    if is_emptied_apart(violation, first, last) {
        return Some(Reliance::Emptied);
    }
    if is_entered_again(violation, first, last) {
        return Some(Reliance::Rechecked);
    }
    let ahead = Ahead::of(violation, last);
    let on = |(change, looks): &(BasisId, Vec<Look>)| {
        let entered_again = looks.iter().any(|look| look.label == first.label);
        // Who has found an element has looked for it.
        let finds = |look: &&Look| {
            let basis = |id: BasisId| violation.program.bases.get(id.index());
            basis(*change).is_some_and(|change| change.branch.name(look.basis))
                && basis(look.basis).is_some_and(|look| !look.listed.is_empty())
        };
        let looks: Vec<Look> = looks.iter().chain(ahead.met.iter().filter(finds)).copied().collect();
        match entered_again {
            true => Some(Reliance::Rechecked),
            false => depends(violation, (first, last), *change, &looks, along),
        }
    };
    let with_it = ahead.changes.iter().filter_map(on).min();
    if last.reads() {
        return with_it;
    }
    let found = depends(violation, (first, last), last.basis?, &[], along)?;
    let found = match rechecked_as_made(violation, first, last, found) {
        Reliance::Branch if takes_all(violation, first, last) => Reliance::Taken,
        found => found,
    };
    let counts = violation.basis(first).is_some_and(|basis| basis.counts.is_some());
    let same = first.access.var == last.access.var;
    if matches!(found, Reliance::Data | Reliance::Branch) && same && counts && overwrites(violation, last) {
        return Some(Reliance::Overwritten);
    }
    if found == Reliance::Independent && is_cleared_late(violation, first, last) {
        return Some(Reliance::Cleared);
    }
    let goes_by_it = with_it.filter(|found| matches!(found, Reliance::Data | Reliance::Branch));
    // Who makes an entry where none is has not looked at the number in one that is there, in which it then counts.
    let makes_entry = found == Reliance::Rechecked && violation.basis(last).is_some_and(Basis::makes_entry);
    let of_value = violation.basis(first).is_some_and(|basis| basis.asked != Some(Facet::Presence));
    let counts = |change: BasisId| {
        violation.program.bases.get(change.index()).is_some_and(|basis| basis.counts.is_some())
    };
    let counts_in_it = || ahead.changes.iter().filter(|(change, _)| counts(*change)).filter_map(on).min();
    let counted = (makes_entry && of_value).then(counts_in_it).flatten();
    if let Some(counted @ (Reliance::Data | Reliance::Branch)) = counted {
        return Some(counted);
    }
    Some(goes_by_it.filter(|_| found == Reliance::Independent).unwrap_or(found))
}

/// How a change depends on what its event saw before, when it looks as the schedule says, and then as these, before it is made.
fn depends(
    violation: &Violation<'_>,
    (first, last): (&Held, &Held),
    change: BasisId,
    ahead: &[Look],
    along: bool,
) -> Option<Reliance> {
    let program = violation.program;
    let mut seen = seen(violation, (first, last), change)?;
    let mut again: Vec<BasisId> =
        looks_again(violation, first, last).map(|held| held.basis).collect::<Option<_>>()?;
    again.extend(ahead.iter().filter(|look| look.var == first.access.var).map(|look| look.basis));
    // One look in the text, made again: what depends on it goes by what it saw last.
    seen.retain(|basis| !again.contains(basis));
    let basis = program.bases.get(change.index())?;
    // That something is still there says nothing of what was seen of it, if that matters here.
    let asked = |id: &BasisId| program.bases.get(id.index()).and_then(|basis| basis.asked);
    let more = |seen: &&BasisId| match asked(seen) {
        Some(asked) => asked == Facet::Value && !basis.asks.contains(seen),
        // It is no look for something, but at what was found.
        None => !basis.data.include(**seen) && basis.branch.name(**seen),
    };
    if seen.iter().filter(more).any(|seen| basis.depends_on(*seen)) {
        again.retain(|look| asked(look) != Some(Facet::Presence) && !basis.asks.contains(look));
    }
    if along {
        again.extend(looks_for_what_went_along(violation, first, last, ahead));
    }
    seen.retain(|seen| !is_still_drawn(violation, (first, last), basis, *seen));
    let avoided = again.iter().any(|look| basis.branch.include(*look));
    // All that is known of an entry that is removed is its key.
    let by_key = basis.keyed && basis.change == Some(Change::Remove);
    // Each element is looked at as it is decided whether it is to go.
    let same = first.access.var == last.access.var;
    let sifts = same && !basis.keyed && basis.change == Some(Change::Remove);
    match on(program, basis, &seen) {
        // It is made on each way, here or elsewhere.
        Reliance::Data | Reliance::Branch if violation.is_paid_back((first, last), change) => {
            Some(Reliance::Independent)
        }
        Reliance::Branch if sifts => Some(Reliance::Rechecked),
        Reliance::Branch | Reliance::Replaced if avoided => Some(Reliance::Rechecked),
        Reliance::Replaced if !is_replaced(violation, first, last) => Some(Reliance::Independent),
        Reliance::Data if along && avoided && by_key => Some(Reliance::Rechecked),
        // Others have only taken out, and what it changes is looked for again under its key.
        Reliance::Data if same && is_found_if_left(violation, (first, last), basis, &again) => {
            Some(Reliance::Rechecked)
        }
        // What was seen said which entries may have to go, each of which is looked at again.
        Reliance::Data if by_key && is_found_again(program, basis, &seen, &again) => {
            Some(Reliance::Rechecked)
        }
        // What was seen said which elements there are, one of which is looked for again by all that was seen of it.
        Reliance::Data if same && avoided && is_listed(program, basis, &seen, &again) => {
            Some(Reliance::Rechecked)
        }
        // What is counted in an entry that is looked for again has nothing of what was seen, but which entry that is.
        Reliance::Data if avoided && is_counted_in(program, basis, &again) => Some(Reliance::Rechecked),
        found => Some(found),
    }
}

/// Whether an event gives out what it saw, and then makes that something else for whoever looks next: two of them give out the same. What
/// is left after a sifting may be what it was; who takes back its own, or found nothing to take, gives out something else.
fn gives_out(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let steps_on = |basis: &Basis| match basis.change {
        Some(Change::Put | Change::Set | Change::Take) => true,
        Some(Change::Remove) => basis.keyed,
        Some(Change::Clear) => false,
        None => matches!(last.access.kind, AccessKind::Update(_)),
    };
    first.reads()
        && violation.basis(first).is_some_and(|basis| basis.given_out && basis.change.is_none())
        && violation.basis(last).is_some_and(|basis| basis.undoes.is_empty() && steps_on(basis))
}

/// Whether the last access takes all that is there of what its event looked at, in one step, and something goes on with that; or goes by what
/// such an access took. What was seen before only said that this is worth while.
fn takes_all(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    // Who puts something in under a key may give away what is there by then, and takes nothing.
    let is_used =
        |basis: &Basis| basis.change != Some(Change::Set) && (basis.decides || basis.told || basis.returned);
    let takes = |held: &&Held| {
        held.instance == last.instance
            && held.access.var == first.access.var
            && overwrites(violation, held)
            && violation.basis(held).is_some_and(is_used)
    };
    let goes_on = |taken: &Held| {
        std::ptr::eq(taken, last)
            || violation.basis(last).zip(taken.basis).is_some_and(|(last, taken)| last.data.include(taken))
    };
    // What was seen may go into something else, which is not what was taken.
    let goes_in = |statement: &Stmt| {
        let basis = violation.program.basis_of(statement);
        statement.changed().is_some()
            && basis.zip(first.basis).is_some_and(|(basis, first)| basis.data.include(first))
    };
    first.reads()
        && violation.after(first).filter(takes).any(goes_on)
        && !violation.program.statements().into_iter().any(goes_in)
}

/// Whether all that a look says of a change under a key is whether something was there.
fn asks_presence(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let asks = |id: BasisId| violation.basis(last).is_some_and(|basis| basis.asks.contains(&id));
    violation.basis(first).is_some_and(|basis| {
        basis.keyed && (basis.asked != Some(Facet::Value) || first.basis.is_some_and(asks))
    })
}

/// A change that looks itself, as it is made, or that a compare-exchange decides about.
fn rechecked_as_made(violation: &Violation<'_>, first: &Held, last: &Held, found: Reliance) -> Reliance {
    let is = |held: &Held, what: fn(&Basis) -> bool| violation.basis(held).is_some_and(what);
    let same = first.access.var == last.access.var;
    let found = match found {
        // An entry is looked for again as it is made.
        Reliance::Branch
            if same && asks_presence(violation, first, last) && is(last, |basis| basis.checks) =>
        {
            Reliance::Rechecked
        }
        // Whether there is an entry now is all that this asks, and what is in it is looked at behind it.
        Reliance::Branch
            if same
                && is(last, Basis::makes_entry)
                && super::enlisted::looks_again(violation, last, last.access.var, |basis| basis.branches) =>
        {
            Reliance::Rechecked
        }
        // Where others have made one meanwhile, or it was there before, it makes none.
        Reliance::Branch
            if same && is(last, Basis::makes_entry) && others_make_entries(violation, first, last) =>
        {
            Reliance::Rechecked
        }
        // What is taken out is looked at as it is taken out.
        Reliance::Data | Reliance::Branch | Reliance::Replaced
            if same
                && is(last, |basis| basis.checks && basis.keyed && basis.change == Some(Change::Remove)) =>
        {
            Reliance::Rechecked
        }
        // What may find no room, without anybody asking, looks itself. What takes without asking takes whatever is there by then.
        Reliance::Branch
            if same
                && is(last, |basis| basis.checks && !basis.keyed && basis.change == Some(Change::Put)) =>
        {
            Reliance::Rechecked
        }
        // What is tried, and tells whether it has changed anything, looks itself.
        Reliance::Data | Reliance::Branch if same && is(last, |basis| basis.tries) => Reliance::Exchanged,
        // Who found nothing to take tries once more.
        Reliance::Branch
            if first.access.var == last.access.var
                && is(first, |basis| basis.misses && basis.change == Some(Change::Take))
                && is(last, |basis| basis.change == Some(Change::Take)) =>
        {
            Reliance::Rechecked
        }
        // A task that was started because of what was seen looks itself what there is to take.
        Reliance::Branch
            if first.task != last.task && is(last, |basis| basis.change == Some(Change::Take)) =>
        {
            Reliance::Rechecked
        }
        found => found,
    };
    if found < Reliance::Exchanged && has_won(violation, first, last) {
        return Reliance::Exchanged;
    }
    let claimed = found == Reliance::Branch && is_claimed(violation, first, last);
    if claimed { Reliance::Claimed } else { found }
}

/// Whether all that others change of a variable in between is that they make entries where there are none.
fn others_make_entries(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let mut others = violation
        .between(first, last)
        .filter(|held| held.instance != last.instance && held.access.var == last.access.var && !held.reads());
    others.all(|held| violation.basis(held).is_some_and(Basis::makes_entry))
}

/// Whether a look, which the event panics after unless it finds what it expects, finds that in this schedule: who has waited for it has
/// seen something else before.
pub(super) fn finds_what_it_expects(violation: &Violation<'_>, last: &Held) -> bool {
    let met = |(basis, found): (&Basis, i128)| !basis.fails.is_empty() && !basis.fails.contains(&found);
    last.reads() && violation.basis(last).zip(last.found).is_some_and(met)
}

/// How a look, which the event panics after unless it finds what it expects, depends on what was seen before.
pub(super) fn asserted(violation: &Violation<'_>, first: &Held, last: &Held) -> Option<Reliance> {
    let looks = looks_with(violation, last);
    let asserts =
        |look: &Look| violation.program.bases.get(look.basis.index()).is_some_and(|basis| basis.asserts);
    if !looks.iter().any(asserts)
        || finds_what_it_expects(violation, last)
        || is_settled(violation, last)
        || is_entered_again(violation, first, last)
    {
        return None;
    }
    let put = |basis: &Basis| first.basis.is_some_and(|first| basis.insists.contains(&first));
    if violation.basis(last).is_some_and(put) && is_emptied(violation, first, last) {
        return Some(Reliance::Replaced);
    }
    let on = |look: &Look| {
        // Those that come later go by what the others have seen by then.
        let behind = if last.basis == Some(look.basis) { &[] } else { &looks[..] };
        depends(violation, (first, last), look.basis, behind, false)
    };
    looks.iter().filter(|look| asserts(look)).filter_map(on).min()
}

/// Whether the critical section of the last access is that of the first one in the text, entered again: it looks anew at what it
/// goes by.
fn is_entered_again(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let looks = |held: &&Held| held.reads() && held.access.var == first.access.var;
    let mut before = violation.held.iter().filter(looks).filter(|held| first.is_at_once_with(held));
    let after: Vec<Label> = looks_again(violation, first, last).map(|held| held.label).collect();
    // One text has several bases, one for each way that leads there; all that a macro makes has one place.
    let of = |end: &Held| -> Vec<(&SourcePlace, Access)> {
        let section = violation.before(last).chain([last]).filter(|held| held.is_at_once_with(end));
        let placed = section.filter_map(|held| Some((held.place?, held.access)));
        placed
            .filter_map(|(place, access)| Some((violation.program.places.get(place.index())?, access)))
            .collect()
    };
    // What a function does that is called in both, a derived `clone`, does not make them one where what it saw first takes the place of what is
    // there.
    let begun = |held: &Held| -> Vec<&SourcePlace> {
        let statements = violation.program.statements().into_iter();
        let acquires = statements.filter(|statement| held.since.contains(&statement.label));
        acquires.filter_map(|stmt| violation.program.places.get(stmt.place?.index())).collect()
    };
    let begin_alike = || {
        let earlier = begun(first);
        begun(last).iter().any(|place| earlier.contains(place))
    };
    let one_text = first.is_locked() && last.is_locked() && !first.is_at_once_with(last) && {
        let earlier = of(first);
        of(last).iter().any(|access| earlier.contains(access))
            && (begin_alike() || !is_stored(violation, first, last))
    };
    (before.any(|held| after.contains(&held.label)) || one_text) && !is_carried(violation, first, last)
}

/// Whether something that was seen in the critical section of the first access goes into what is changed in that of the last, which has not looked
/// at it again by then: a function that is called twice does something else each time.
fn is_carried(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let program = violation.program;
    let place = |held: &Held| program.places.get(held.place?.index());
    let of = |label: Label| {
        let statement = program.statements().into_iter().find(|statement| statement.label == label);
        program.places.get(statement?.place?.index())
    };
    let looks = |held: &&Held| held.reads() && held.access.var == first.access.var;
    let seen = violation.before(last).filter(looks).filter(|held| held.is_at_once_with(first));
    let seen: Vec<&Held> = seen.filter(|held| !held.is_at_once_with(last)).collect();
    let again = violation.before(last).chain([last]).filter(looks).filter(|held| held.is_at_once_with(last));
    let again: Vec<&SourcePlace> = again.filter_map(place).collect();
    let own = last.basis.filter(|_| !last.reads()).map(|change| (change, Vec::new()));
    Ahead::of(violation, last).changes.into_iter().chain(own).any(|(change, ahead)| {
        let ahead: Vec<&SourcePlace> = ahead.iter().filter_map(|look| of(look.label)).collect();
        let is_new = |held: &&&Held| {
            place(held).is_some_and(|place| !again.contains(&place) && !ahead.contains(&place))
        };
        let carries = |held: &Held| {
            let change = program.bases.get(change.index());
            held.basis.zip(change).is_some_and(|(seen, change)| change.data.include(seen))
        };
        seen.iter().filter(is_new).any(|held| carries(held))
    })
}

/// Whether what was seen is in what is stored in the critical section of the last access.
fn is_stored(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let changes = Ahead::of(violation, last).changes.into_iter().map(|(change, _)| change);
    let own = last.basis.filter(|_| !last.reads());
    let basis = |id: BasisId| violation.program.bases.get(id.index());
    let stores = |change| basis(change).zip(first.basis).is_some_and(|(it, first)| it.data.include(first));
    first.reads() && changes.chain(own).any(stores)
}

/// Whether the event has changed a variable in the critical section in which it looks at it last: it finds what it left there.
fn is_settled(violation: &Violation<'_>, last: &Held) -> bool {
    let mut before = violation.before(last).filter(|held| held.access.var == last.access.var);
    last.reads() && before.any(|held| !held.reads() && last.is_at_once_with(held))
}

/// The accesses to the variable of the first in the critical section that this is in, up to the last.
pub(super) fn in_section<'v>(
    violation: &'v Violation<'_>,
    first: &'v Held,
    last: &'v Held,
) -> impl Iterator<Item = &'v Held> {
    let before = violation.before(last);
    before.filter(|held| held.access.var == first.access.var && first.is_at_once_with(held))
}

/// What an event saw of the variable of the first access in the critical section that this is in. What it took out (`swap`, `pop`)
/// is its own from then on: to add it, here or elsewhere, says nothing of what is still there, nor of the look that led to it.
fn seen(violation: &Violation<'_>, (first, last): (&Held, &Held), change: BasisId) -> Option<Vec<BasisId>> {
    // What others have left alone is still as it was seen.
    let is_left = |held: &Held| held.reads() && violation.is_left_by_others(held, last);
    let taken = taken_out(violation, (first, last), change);
    let is_of_taken = |held: &Held| {
        let goes_by = |taken: &Held, look| violation.basis(taken).is_some_and(|basis| basis.depends_on(look));
        held.basis.is_some_and(|id| {
            taken.iter().any(|taken| taken.basis == Some(id) || held.reads() && goes_by(taken, id))
        })
    };
    let here = || in_section(violation, first, last).filter(|held| !is_left(held) && !is_of_taken(held));
    if !leaves_more(violation, change) {
        // What is taken out under a key that came out of another collection, or put in until it is taken out again, has nothing to do with what is
        // still in that one.
        let is_taken_back = |put: BasisId| {
            let statements = violation.program.statements().into_iter();
            let mut bases = statements.filter_map(|stmt| violation.program.basis_of(stmt));
            bases.any(|basis| basis.undoes.contains(&put))
        };
        let keyed = violation.basis(last).filter(|basis| match basis.change {
            Some(Change::Remove) => basis.keyed,
            Some(Change::Set) => basis.keyed && last.basis.is_some_and(is_taken_back),
            _ => false,
        });
        let is_of_it = |held: &Held| {
            violation.basis(held).is_some_and(|held| held.change == Some(Change::Take))
                && held.access.var != last.access.var
                && keyed.zip(held.basis).is_some_and(|(last, held)| last.data.name(held))
        };
        return here().filter(|held| !is_of_it(held)).map(|held| held.basis).collect();
    }
    // On the way where there is something to take.
    let takes = |basis: &&Basis| {
        let known = !basis.keyed && basis.data != Causes::Any;
        known && basis.change.is_some_and(Change::takes_one)
    };
    let taken: Vec<&Basis> = violation.program.bases.iter().filter(takes).collect();
    let leads = |held: &Held| {
        let look = held.basis.filter(|_| held.reads());
        look.is_some_and(|look| taken.iter().any(|taken| taken.data.include(look)))
    };
    // Who finds nothing to take puts in something of its own.
    let misses = |held: &Held| {
        let takes = |basis: &Basis| basis.misses && basis.change == Some(Change::Take);
        last.access.var == held.access.var && violation.basis(held).is_some_and(takes)
    };
    let is_own = |held: &Held| held.access.kind == AccessKind::Write || leads(held) || misses(held);
    here().filter(|held| !is_own(held)).map(|held| held.basis).collect()
}

/// What an event has taken out of the variable of the first access, in the critical section that this is in, and puts in again, or elsewhere, under
/// another key: neither that nor what led to it says anything of what is still there.
fn taken_out<'v>(
    violation: &'v Violation<'_>,
    (first, last): (&'v Held, &'v Held),
    change: BasisId,
) -> Vec<&'v Held> {
    let put = violation.program.bases.get(change.index());
    let Some(put) = put.filter(|put| put.change.is_some_and(Change::puts_in)) else {
        return Vec::new();
    };
    let takes =
        |basis: &Basis| basis.change.is_some_and(Change::takes_one) && !basis.undoes.contains(&change);
    let is_put = |held: &&Held| {
        !held.reads()
            && held.basis.is_some_and(|taken| put.data.name(taken))
            && violation.basis(held).is_some_and(takes)
    };
    in_section(violation, first, last).filter(is_put).collect()
}

/// Looks at the variable of the first access that come after it, in the critical section of the last, which may be one of them; or while the
/// key is claimed that the last is about, as long as that is what they are about, too.
fn looks_again<'v>(
    violation: &'v Violation<'_>,
    first: &'v Held,
    last: &'v Held,
) -> impl Iterator<Item = &'v Held> {
    let looks = violation.after(first).filter(|held| held.reads() && held.access.var == first.access.var);
    // A turn of a task is no critical section to those who came in between.
    let with = |end: &Held, held: &Held| match last.is_locked() {
        true => end.is_in_section_of(held),
        false => end.is_at_once_with(held),
    };
    looks.filter(move |held| {
        with(last, held) && !with(first, held)
            || violation.share_claim(held, last) && !violation.share_claim(first, last)
    })
}

/// Whether the event has looked again since it has the key of the last access to itself, and may still leave it.
fn looks_once_claimed(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    looks_again(violation, first, last).any(|look| {
        let decides =
            violation.basis(last).zip(look.basis).is_some_and(|(last, look)| last.branch.name(look));
        decides && violation.share_claim(look, last)
    })
}

/// Looks, in the critical section of the last access, for entries of collections out of which who came in between has taken
/// something as it changed the variable of the first access: what went along with that is found to be gone.
fn looks_for_what_went_along(
    violation: &Violation<'_>,
    first: &Held,
    last: &Held,
    ahead: &[Look],
) -> Vec<BasisId> {
    let others = || violation.by_others(last).filter(|held| !held.reads());
    let removes = |held: &&Held| {
        let change = violation.basis(held).and_then(|basis| basis.change);
        matches!(change, Some(Change::Remove | Change::Take | Change::Clear))
    };
    let along = |held: &&Held| {
        others().any(|other| other.access.var == first.access.var && other.is_at_once_with(held))
    };
    let gone: Vec<VarId> = others().filter(removes).filter(along).map(|held| held.access.var).collect();
    let keyed = |basis: &BasisId| violation.program.bases.get(basis.index()).is_some_and(|basis| basis.keyed);
    let section = violation.before(last).chain([last]).filter(|held| held.reads());
    let section = section.filter(|held| last.is_at_once_with(held) && !first.is_at_once_with(held));
    let here = section.filter(|held| gone.contains(&held.access.var)).filter_map(|held| held.basis);
    let ahead = ahead.iter().filter(|look| gone.contains(&look.var)).map(|look| look.basis);
    here.chain(ahead).filter(keyed).collect()
}

/// Whether an event has noted in a variable what it decided about it, in the critical section in which it looked, and the last
/// access only adds to what it finds: who reserves a place fills it later, or gives it back.
fn is_claimed(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let change = violation.basis(last).map(|basis| (last.access.var, basis));
    let takes_back = |held: &Held| change.is_some_and(|change| violation.returns_part(change, held, first));
    let claims = |held: &Held| !held.reads() && (first.access.var != last.access.var || takes_back(held));
    adds(violation, last) && in_section(violation, first, last).any(claims)
}

/// Whether the last access comes only after a compare-exchange that the event has won since the first.
fn has_won(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let mut won = violation.exchanges_between(first, last);
    let last = violation.basis(last);
    won.any(|held| last.zip(held.basis).is_some_and(|(last, won)| last.depends_on(won)))
}

/// Whether a change leaves nothing of what was there.
pub(super) fn overwrites(violation: &Violation<'_>, held: &Held) -> bool {
    let clears = |basis: &Basis| {
        !basis.exchange && !basis.tries && matches!(basis.change, None | Some(Change::Clear | Change::Set))
    };
    held.access.kind == AccessKind::Write && violation.basis(held).is_none_or(clears)
}

/// Whether what the text of the program does here is a change that leaves what was there, and more.
fn leaves_more(violation: &Violation<'_>, change: BasisId) -> bool {
    let Some(basis) = violation.program.bases.get(change.index()) else { return false };
    let clears =
        !basis.exchange && !basis.tries && matches!(basis.change, None | Some(Change::Clear | Change::Set));
    let writes = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Write(_) | StmtKind::SetVar(..));
    let statements = violation.program.statements();
    let mut made =
        statements.iter().filter(|stmt| stmt.basis == Some(change) && stmt.changed().is_some()).peekable();
    basis.change != Some(Change::Remove)
        && made.peek().is_some()
        && !(clears && made.any(|stmt| writes(stmt)))
}

/// Whether a change leaves what was there, and more.
pub(super) fn adds(violation: &Violation<'_>, held: &Held) -> bool {
    let removes = violation.basis(held).is_some_and(|basis| basis.change == Some(Change::Remove));
    !held.reads() && !overwrites(violation, held) && !removes
}

/// Whether another event puts something in the place of what the first access put into a collection, before the last one takes it out,
/// whatever is there. Who looked before, whether there is something, has found it.
fn is_replaced(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    if looks_before(violation, last) {
        return false;
    }
    let between: Vec<&Held> = violation
        .between(first, last)
        .filter(|held| held.instance != last.instance && held.access.var == first.access.var)
        .collect();
    // What is under a key that another one has made for itself is something else.
    let own = violation.basis(first).and_then(|basis| basis.own);
    let elsewhere = |basis: &Basis| own.zip(basis.own).is_some_and(|(own, theirs)| own.is_other(&theirs));
    let sets = |basis: &Basis| {
        basis.keyed && basis.change == Some(Change::Set) && !basis.checks && !elsewhere(basis)
    };
    let removes = |held: &&&Held| {
        let change = violation.basis(held).and_then(|basis| basis.change);
        matches!(change, Some(Change::Remove | Change::Clear))
    };
    between.iter().any(|put| {
        // Who looks after it was taken out finds nothing.
        let found = |basis: &Basis| {
            let still = between.iter().take_while(|held| !removes(held));
            let by = |look: &&&Held| look.basis.is_some_and(|look| basis.branch.include(look));
            still.filter(by).any(|look| look.instance == put.instance && look.reads())
        };
        let replaces =
            |basis: &Basis| sets(basis) && !found(basis) && !are_taken_apart(violation, first, put);
        violation.basis(put).is_some_and(replaces)
    })
}

/// Whether another event takes something out of a collection between two accesses, or empties it.
fn is_emptied(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let others = |held: &&Held| held.instance != last.instance && held.access.var == last.access.var;
    let mut between = violation.between(first, last).filter(others);
    let takes_out = |basis: &Basis| basis.change == Some(Change::Remove) || basis.leaves_nothing();
    between.any(|held| violation.basis(held).is_some_and(takes_out))
}

/// Whether the last access depends on a look at its variable that the program text has before it, in its critical section.
fn looks_before(violation: &Violation<'_>, last: &Held) -> bool {
    let Some(basis) = violation.basis(last) else { return true };
    let mut looks = looks_behind(violation, last).into_iter().filter(|look| look.var == last.access.var);
    looks.any(|look| basis.depends_on(look.basis))
}

/// How something depends on these accesses.
fn on(program: &Program, basis: &Basis, seen: &[BasisId]) -> Reliance {
    let takes_out = |seen: &BasisId| basis.change == Some(Change::Remove) && basis.undoes.contains(seen);
    let is_exchange = |seen: &BasisId| program.bases.get(seen.index()).is_some_and(|basis| basis.exchange);
    let of = |seen: &BasisId| match (basis.data.include(*seen), basis.branch.include(*seen)) {
        (false, false) if takes_out(seen) => Reliance::Replaced,
        (false, false) => Reliance::Independent,
        (true, _) if basis.unmet.contains(seen) => Reliance::Data,
        _ if basis.exchange || is_exchange(seen) => Reliance::Exchanged,
        (true, _) => Reliance::Data,
        (false, true) => Reliance::Branch,
    };
    seen.iter().map(of).min().unwrap_or(Reliance::Independent)
}

/// Whether an event that stands for a whole task, with two of its changes alone, has another part in a violation than that the later one
/// takes out what has replaced what the earlier one put in: its other accesses are those of other events.
pub fn is_partial(violation: &Violation<'_>) -> bool {
    let is_whole = |held: &Held| violation.program.proc(violation.proc(held)).course == Course::Whole;
    if !violation.held.iter().any(is_whole) {
        return false;
    }
    let replaced =
        |(first, last)| is_whole(last) && reliance(violation, first, last) == Some(Reliance::Replaced);
    !violation.ends().is_some_and(replaced)
}

/// Why a change that is made whatever its event saw before need not be a bug, if it is one.
pub(super) fn independent(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    let reason = why_independent(violation, first, last)?;
    // Where it is emptied, and filled again, others may look in between who go by what they find.
    let undone = violation.undoes(last, first) || violation.undoes(first, last);
    let others = match empties_and_fills(violation, first, last) || undone {
        true => Others::These,
        false => Others::Whoever,
    };
    Some(Excuse { reason, others })
}

fn why_independent(violation: &Violation<'_>, first: &Held, last: &Held) -> Option<String> {
    let same = first.access.var == last.access.var;
    if last.reads() || (!same && !first.reads()) {
        return None;
    }
    // Who is told what was there, and then overwrites it, tells something else than was there.
    let told = violation.basis(first).is_none_or(|basis| basis.told);
    let keyed = |held: &Held| violation.basis(held).is_some_and(|basis| basis.keyed);
    let whole = keyed(first) || !keyed(last);
    if same
        && first.reads()
        && told
        && whole
        && overwrites(violation, last)
        && !takes_all(violation, first, last)
        && !looks_once_claimed(violation, first, last)
        && !works_on_what_is_there(violation, first, last)
    {
        return None;
    }
    let (event, before, after) = (violation.event(last), violation.name(first), violation.name(last));
    match reliance(violation, first, last)? {
        Reliance::Data
        | Reliance::Branch
        | Reliance::Replaced
        | Reliance::HandedOut
        | Reliance::Sent
        | Reliance::Started
        | Reliance::Answered
        | Reliance::Told
        | Reliance::Left
        | Reliance::Named
        | Reliance::Apart
        | Reliance::Emptied
        | Reliance::Cleared
        | Reliance::Overwritten => None,
        Reliance::Rechecked => Some(format!(
            "`{event}` looks at `{before}` again under the lock that it changes `{after}` under, and may still leave it"
        )),
        Reliance::Exchanged => Some(format!(
            "`{event}` changes `{after}` with, or after, a compare-exchange that fails when something else is there than it expects"
        )),
        Reliance::Claimed => Some(format!(
            "`{event}` changes `{before}` where it looks at it, so others see what it has taken before it changes `{after}`"
        )),
        Reliance::Taken => Some(format!(
            "`{event}` takes all that is in `{before}` by then, whatever it saw before, and goes on with that"
        )),
        Reliance::Total => Some(format!(
            "`{event}` works on what is there by then: what it saw of `{before}` only said that it is worth while"
        )),
        Reliance::Independent if stops_working(violation) => None,
        Reliance::Independent if same && gives_out(violation, first, last) => None,
        Reliance::Independent if same && first.reads() => Some(format!(
            "what `{event}` does to `{after}` does not depend on what it saw of it before, and nobody is told that"
        )),
        Reliance::Independent if same => Some(format!(
            "`{event}` changes `{after}` twice, the second time whatever it holds by then: a bug only if nobody may see \
             what it holds in between"
        )),
        Reliance::Independent => {
            Some(format!("what `{event}` does to `{after}` does not depend on what it saw of `{before}`"))
        }
    }
}
