//! Whoever enters itself in a list because of what it saw, at once, and later takes itself out again, if it is there still: a wait that
//! is given up.

use crate::finding::excuse::{Excuse, Others};
use crate::finding::section::{Look, changes_with};
use crate::finding::violation::{Held, Violation};
use crate::ir::{Basis, BasisId, Change};

/// Why it does not matter that what led to an entry has changed by the time that the entry is given up, if there is a reason: the entry was made
/// under the guard under which its event looked, and is looked for under the guard under which it is taken out.
pub(in crate::finding) fn registered(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    if !first.reads() || first.access.var == last.access.var || first.task != last.task {
        return None;
    }
    let is_of_list = |held: &&Held| held.instance == last.instance && held.access.var == last.access.var;
    let enters = |held: &Held| {
        let puts = |basis: &Basis| basis.appends || basis.change.is_some_and(Change::puts_in);
        !held.reads() && held.is_at_once_with(first) && violation.basis(held).is_some_and(puts)
    };
    let looks: Vec<BasisId> = violation
        .before(last)
        .chain([last])
        .filter(is_of_list)
        .filter(|held| held.reads() && held.is_at_once_with(last))
        .filter_map(|held| held.basis)
        .collect();
    let gives_up = |(change, ahead): &(BasisId, Vec<Look>)| {
        violation.program.bases.get(change.index()).is_some_and(|basis| {
            let mut looks = looks.iter().copied().chain(ahead.iter().map(|look| look.basis));
            // What is taken out by its index is some change.
            basis.change.is_none_or(Change::takes_one) && looks.any(|look| basis.branch.name(look))
        })
    };
    let changes = changes_with(violation, last);
    let is_given_up = !changes.is_empty() && changes.iter().all(gives_up);
    (is_given_up && violation.before(last).filter(is_of_list).any(enters)).then(|| Excuse {
        reason: format!(
            "`{}` enters something in `{}` where it looks at `{}`, and takes it out again only if it finds it there",
            violation.event(last),
            violation.name(last),
            violation.name(first)
        ),
        others: Others::Whoever,
    })
}
