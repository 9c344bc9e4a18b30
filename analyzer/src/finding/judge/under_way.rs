//! What a call changes itself, and what a task changes that it has started and does not wait for.
//!
//! The call has returned, for all that anybody knows, before the task is done: who looks in between sees work that is under way, as who
//! started it does.

use std::collections::BTreeSet;

use crate::finding::Role;
use crate::finding::violation::{Held, Violation};
use crate::ir::calls::Calls;
use crate::ir::{ProcId, StmtKind};

/// Why others may see what a call has changed, and not yet what the task that it started will change, if there is a reason: they only look,
/// and insist on nothing.
pub(in crate::finding) fn under_way(violation: &Violation<'_>) -> Option<String> {
    let (program, trace) = (violation.program, violation.trace);
    let (first, last) = violation.ends()?;
    let (call, task) = (&trace.tasks[first.task], &trace.tasks[last.task]);
    let is_apart = first.task == first.instance && last.task != first.task && last.instance == first.instance;
    if program.bases.is_empty() || !is_apart || first.reads() || last.reads() || waits(violation, call.proc) {
        return None;
    }
    let insists = |held: &Held| violation.basis(held).is_none_or(|basis| basis.asserts || basis.ends);
    let mut met =
        violation.held.iter().filter(|held| held.role != Role::Step && held.instance != first.instance);
    met.all(|held| held.reads() && !insists(held)).then(|| {
        let name = |proc: ProcId| &program.proc(proc).name;
        format!(
            "`{}` starts `{}` and does not wait for it: who looks in between sees what is under way. A bug only if nobody may see that",
            name(call.proc),
            name(task.proc)
        )
    })
}

/// Whether an event waits for a task that it has started, in itself or in others of its tasks.
fn waits(violation: &Violation<'_>, event: ProcId) -> bool {
    let program = violation.program;
    let calls = Calls::new(program);
    let mut all: BTreeSet<ProcId> = calls.reachable(event).into_iter().collect();
    let mut work: Vec<ProcId> = all.iter().copied().collect();
    while let Some(proc) = work.pop() {
        for stmt in program.proc(proc).statements() {
            match stmt.kind {
                StmtKind::Join(_) | StmtKind::Await(_) => return true,
                StmtKind::Async { task, .. } => {
                    work.extend(calls.reachable(task).into_iter().filter(|proc| all.insert(*proc)));
                }
                _ => {}
            }
        }
    }
    false
}
