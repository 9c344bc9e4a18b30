//! What is run once for each object, though nothing keeps callers from running it twice.

use crate::finding::excuse::{Excuse, Others};
use crate::finding::reliance::{Reliance, reliance};
use crate::finding::violation::{Held, Violation};
use crate::ir::Course;

/// Why nobody else does what the pivot's event does, if there is a reason: all events are rounds of one loop, which a caller runs for as long as an
/// object is there, and what they change is a part of that object. Two rounds of one run come one after the other.
pub(in crate::finding) fn run_twice(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    let Course::Round { of: Some(of) } = violation.program.proc(violation.proc(last)).course else {
        return None;
    };
    let alike = violation.held.iter().all(|held| violation.proc(held) == violation.proc(last));
    let is_part = |held: &Held| violation.program.vars[held.access.var.index()].object == Some(of);
    (alike && is_part(first) && is_part(last)).then(|| Excuse {
        reason: format!(
            "`{}` is a round of a loop that is run for as long as its object is there: a bug only if it is run twice at once for one object",
            violation.event(last)
        ),
        others: Others::These,
    })
}

/// Why it does not matter which of two handlers is called, if there is a reason: all that the pivot's event saw first is which function to call,
/// and somebody else has set another one meanwhile.
pub(in crate::finding) fn calls_what_was_set(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    let is_handler = |held: &Held| held.reads() && violation.program.vars[held.access.var.index()].handler;
    let called = || reliance(violation, first, last) == Some(Reliance::Data);
    (is_handler(first) && (is_handler(last) || called())).then(|| Excuse {
        reason: format!(
            "`{}` holds a function, which `{}` calls: a bug only if that may not be called any more once another one is set",
            violation.name(first),
            violation.event(first)
        ),
        others: Others::Whoever,
    })
}
