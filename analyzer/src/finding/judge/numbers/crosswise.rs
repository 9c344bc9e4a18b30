//! Who is at work only while a flag allows it, and says so in a number; and who sets that flag only while nobody is at work. Each goes by what
//! the other one changes, so both may have looked before either has changed anything.

use crate::finding::violation::{Held, Violation};

/// Whether the pivot's event changes something because nobody is at work, and somebody in between has begun to be, because what is changed allowed
/// that still. That somebody is at work is said by a change that is taken back later.
pub(in crate::finding) fn begins_meanwhile(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let goes_by = |change: &Held, look: &Held| {
        violation.basis(change).zip(look.basis).is_some_and(|(change, look)| change.branch.name(look))
    };
    let is_taken_back = |change: &Held| {
        let statements = violation.program.statements();
        change.basis.is_some_and(|change| {
            let mut bases = statements.iter().filter_map(|stmt| violation.program.basis_of(stmt));
            bases.any(|basis| basis.undoes.contains(&change))
        })
    };
    let looks = |change: &Held| {
        let of = |look: &&Held| look.instance == change.instance && look.access.var == last.access.var;
        violation.before(change).filter(of).any(|look| look.reads() && goes_by(change, look))
    };
    let begins = |held: &Held| {
        held.instance != first.instance
            && held.access.var == first.access.var
            && !held.reads()
            && is_taken_back(held)
            && looks(held)
    };
    first.reads()
        && !last.reads()
        && first.task == last.task
        && first.access.var != last.access.var
        && goes_by(last, first)
        && violation.between(first, last).any(begins)
}
