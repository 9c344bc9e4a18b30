//! What was taken out of a collection and is put back, beside whatever is there by then: nothing that others have put in is lost.

use crate::finding::excuse::{Excuse, Others};
use crate::finding::violation::{Held, Violation};
use crate::ir::Change;

/// Why a change need not be a bug that puts something back which its event has taken out before, if it does: others only put in more meanwhile, or
/// it is put back because of something else that was looked for in vain.
pub(in crate::finding) fn put_back(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    let basis = violation.basis(last).filter(|_| !last.reads())?;
    // An entry that is asked for is filled, or added to.
    let adds = basis.change == Some(Change::Put) || basis.change.is_none() && basis.keyed && basis.checks;
    let change = |held: &Held| violation.basis(held).and_then(|basis| basis.change);
    let took = |held: &Held| {
        held.instance == last.instance
            && held.access.var == last.access.var
            && !held.reads()
            && change(held).is_some_and(Change::takes_out)
            && held.basis.is_some_and(|taken| basis.data.name(taken))
    };
    if !adds {
        return None;
    }
    let var = last.access.var;
    let others = || violation.by_others(last).filter(|held| held.access.var == var);
    // Who looks what there is, or empties it, misses what is out.
    let add = |held: &Held| {
        let keyed = |held: &Held| violation.basis(held).is_some_and(|basis| basis.keyed && basis.checks);
        !held.reads() && (change(held) == Some(Change::Put) || keyed(held))
    };
    let is_it = took(first) && others().all(add);
    let gives_up = || {
        let nothing = violation.basis(first).is_some_and(|basis| basis.misses);
        let moves = |held: &Held| change(held).is_some_and(|change| change.puts_in() || change.takes_one());
        first.reads()
            && nothing
            && first.access.var != var
            && violation.before(first).any(took)
            && others().all(moves)
    };
    (is_it || gives_up()).then(|| Excuse {
        reason: format!(
            "`{}` puts back into `{}` what it has taken out of it, beside what is there by then: a bug only if nobody may find that it is not \
             there meanwhile",
            violation.event(last),
            violation.name(last)
        ),
        others: Others::These,
    })
}
