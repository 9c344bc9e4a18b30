//! Accesses that are torn apart before nobody's eyes: whoever comes in between goes by neither, or is another run of the same event.
//!
//! What two runs of one event change twice is mostly each one's own (its entry, its slot, its turn), which no analysis sees in all of
//! its forms; that an event is seen half done is a reason to care where something else looks. Of what was said of such cycles in
//! published crates hardly anything was true (`benchmarks/README.md`).

use crate::finding::Role;
use crate::finding::excuse::{Excuse, Others};
use crate::finding::reliance::{Reliance, reliance};
use crate::finding::violation::{Held, Violation};
use crate::ir::Change;
use crate::semantics::Signals;

/// Why two accesses of one event that others come between need not belong together, if nobody is seen to look at what is half done.
pub(in crate::finding) fn unobserved(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    let ends = [first, last];
    let is_signal = |end: &Held| Signals::new(violation.program).of(end.access).is_some();
    if ends.into_iter().any(is_signal) || goes_by_it(violation, ends) {
        return None;
    }
    let met: Vec<&Held> = violation
        .by_others(last)
        .filter(|held| held.role != Role::Step && ends.iter().any(|end| end.access.var == held.access.var))
        .collect();
    // Who goes by what it found, be it as it took that out, sees it.
    let goes_by = |other: &Held| {
        let mut later = met.iter().filter(|held| held.instance == other.instance);
        later.any(|held| {
            violation.basis(held).zip(other.basis).is_some_and(|(held, other)| held.depends_on(other))
        })
    };
    // What was taken out goes in again, there or elsewhere.
    let change = |held: &Held| violation.basis(held).and_then(|basis| basis.change);
    let apart = first.access.var != last.access.var
        || change(first).is_some_and(Change::takes_one) && change(last).is_some_and(Change::puts_in);
    let moves = apart && reliance(violation, first, last) == Some(Reliance::Data);
    let sees = |other: &Held| {
        violation.proc(other) != violation.proc(last)
            && (moves || last.reads() || other.reads() || goes_by(other))
    };
    let (event, before, after) = (violation.event(last), violation.name(first), violation.name(last));
    if looks_back(violation, first, last) {
        return Some(Excuse {
            reason: format!(
                "`{event}` changes nothing because of what it finds in `{after}`, and does not insist on it: a bug only if that has to fit what it has \
                 left in `{before}`"
            ),
            others: Others::Whoever,
        });
    }
    if met.iter().any(|other| sees(other)) {
        return None;
    }
    Some(Excuse {
        reason: format!(
            "nobody but a second `{event}`, or who goes by neither, comes in between: a bug only if `{before}` and `{after}` are \
             the same ones to both"
        ),
        others: Others::These,
    })
}

/// Whether an event only looks at something after it has changed something, be it the same, and does not panic whatever it finds. Who has counted and then
/// looks wants to know whether it was the last.
fn looks_back(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let counts = violation.basis(first).is_none_or(|basis| basis.counts.is_some() || basis.by.is_some());
    let asserts = violation.basis(last).is_none_or(|basis| basis.asserts || basis.ends);
    !first.reads() && last.reads() && !counts && !asserts
}

/// Whether the last access goes by what was seen before, or by that a change before it still holds.
fn goes_by_it(violation: &Violation<'_>, [first, last]: [&Held; 2]) -> bool {
    match reliance(violation, first, last) {
        None | Some(Reliance::Independent) => first.reads() && !last.reads(),
        // Under its key, or at its place, another one may be somebody else's.
        Some(Reliance::Data) => {
            let keyed = violation.basis(last).is_none_or(|basis| basis.keyed);
            first.reads() || first.access.var == last.access.var && !keyed
        }
        Some(_) => true,
    }
}
