//! What is kept so that it need not be loaded again: who finds it gives it to its caller, who does not loads it, keeps it and gives it to its
//! caller all the same.

use crate::finding::reliance::{Reliance, reliance};
use crate::finding::violation::Violation;
use crate::ir::{Causes, Change, Facet, Stmt};

/// Why it does not matter that two load the same, and the later one keeps what it has loaded, if there is a reason: it is data, and
/// nobody else ever changes or forgets what is kept.
pub(in crate::finding) fn loads_again(violation: &Violation<'_>) -> Option<String> {
    let (first, last) = violation.ends()?;
    let (look, change) = (violation.basis(first)?, violation.basis(last)?);
    let var = last.access.var;
    let gives_it = first.reads() && first.access.var == var && look.given_out;
    // Who asks how many there are, or whether there is one, does not ask for what is kept.
    let asks_for_it =
        look.asked != Some(Facet::Presence) && look.number.is_none() && look.keyed == change.keyed;
    // What goes by what others have left is not there to be loaded.
    let by_nothing = matches!(&change.data, Causes::These(causes) if causes.is_empty());
    let keeps =
        !last.reads() && change.loaded && by_nothing && matches!(change.change, None | Some(Change::Set));
    let is_there = |stmt: &Stmt| stmt.place == last.place;
    let only_there = || violation.program.changes_of(var).all(is_there);
    let by_it = || reliance(violation, first, last) == Some(Reliance::Branch);
    (gives_it && asks_for_it && keeps && only_there() && by_it()).then(|| {
        format!(
            "`{}` keeps what `{}` would have to load again, and nobody else changes it: a bug only if it may not be loaded twice",
            violation.name(last),
            violation.event(last)
        )
    })
}
