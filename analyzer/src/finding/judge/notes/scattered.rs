//! What is looked at in one function and changed in another one, or torn apart by two: of all violations that were judged by reading, these
//! were the least often bugs. What is meant as one step is written in one place, or is about one variable.

use crate::finding::reliance::{Reliance, reliance};
use crate::finding::violation::{Held, Keeper, Violation};

/// Why nothing says that what two functions do is one step, if so. `benchmarks/README.md` has the figures.
pub(in crate::finding) fn scattered(violation: &Violation<'_>) -> Option<String> {
    let (first, last) = violation.ends()?;
    if are_together(violation, first, last)? {
        return None;
    }
    let relies = match reliance(violation, first, last) {
        Some(Reliance::Data | Reliance::Branch) => true,
        None | Some(Reliance::Independent) => false,
        // It is known what the one has to do with the other.
        Some(_) => return None,
    };
    let (event, seen, done) = (violation.event(last), violation.name(first), violation.name(last));
    if first.reads() && is_left_to_task(violation, first, last) {
        let task = &violation.program.proc(violation.trace.tasks[last.task].proc).name;
        return Some(format!(
            "`{event}` leaves what it does to `{done}` to `{task}`, and does not wait for that: a bug only if `{seen}` has to be as it was \
             seen until then"
        ));
    }
    // What a task does is a part of what its event began.
    if first.task != last.task {
        return None;
    }
    let apart = match (first.reads(), last.reads()) {
        // It may end with the look that a change begins with.
        (true, looks) if relies || !looks => {
            first.access.var != last.access.var && violation.is_with_itself(last)
        }
        (true, _) => violation.is_with_itself(last),
        (false, looks) => !looks,
    };
    let both = if seen == done { format!("`{done}`") } else { format!("`{seen}` and to `{done}`") };
    apart.then(|| {
        format!(
            "what `{event}` does to {both}, it does in two functions: a bug only if it is meant as one step"
        )
    })
}

/// Whether both are in the text of one function, or the first is in one that this calls; `None` if that is not known.
fn are_together(violation: &Violation<'_>, first: &Held, last: &Held) -> Option<bool> {
    let home = |held: &Held| violation.basis(held)?.home.as_ref();
    let (seen, done) = (home(first)?, home(last)?.function);
    Some(seen.function == done || seen.callers.contains(&done))
}

/// Whether the one is done by an event, and the other by a task that it has started since and does not wait for. What is sent to where
/// others have their turn (a user interface's thread) is how the event goes on.
fn is_left_to_task(violation: &Violation<'_>, first: &Held, last: &Held) -> bool {
    let proc = |held: &Held| violation.trace.tasks[held.task].proc;
    let is_placed = Keeper::executor(violation.program, proc(last)).is_some();
    violation.starts_later(first, last.task) && !is_placed && !violation.waits_for_tasks(proc(first))
}
