//! What a call changes itself, and what a task changes that it has started and does not wait for.
//!
//! The call has returned, for all that anybody knows, before the task is done: who looks in between sees work that is under way, as who
//! started it does.

use crate::finding::Role;
use crate::finding::violation::{Held, Violation};
use crate::ir::ProcId;

/// Why others may see what a call has changed, and not yet what the task that it started will change, if there is a reason: they only look,
/// and insist on nothing. What else the call has done they may change, if all that is left to the task is to count itself out.
pub(in crate::finding) fn under_way(violation: &Violation<'_>) -> Option<String> {
    let (program, trace) = (violation.program, violation.trace);
    let (first, last) = violation.ends()?;
    let (call, task) = (&trace.tasks[first.task], &trace.tasks[last.task]);
    let is_apart = first.task == first.instance && last.task != first.task && last.instance == first.instance;
    if program.bases.is_empty()
        || !is_apart
        || first.reads()
        || last.reads()
        || violation.waits_for_tasks(call.proc)
    {
        return None;
    }
    // Who was counted before it was started counts itself out.
    let counts_out = violation.counts_out(last, |held| held.task == first.task);
    let looks = |held: &Held| held.reads() && !violation.insists(held);
    let beside = |held: &Held| counts_out && held.access.var != last.access.var;
    let mut met =
        violation.held.iter().filter(|held| held.role != Role::Step && held.instance != first.instance);
    met.all(|held| looks(held) || beside(held)).then(|| {
        let name = |proc: ProcId| &program.proc(proc).name;
        format!(
            "`{}` starts `{}` and does not wait for it: who looks in between sees what is under way. A bug only if nobody may see that",
            name(call.proc),
            name(task.proc)
        )
    })
}
