//! Orders of an event's tasks that need not matter.

use super::Role;
use super::reliance::overwrites;
use super::violation::{Held, Violation};
use crate::filter::held;
use crate::ir::ProcKind;
use crate::semantics::{Access, AccessKind};

/// Why an order of an event's tasks need not matter, if there is a reason.
pub fn any_order(violation: &Violation<'_>) -> Option<String> {
    alike(violation).or_else(|| unasked(violation)).or_else(|| not_its_own(violation))
}

/// Other events change the variable, too: what one of the two finds there is not what the other's work comes to, and it has to make do with
/// whatever there is, unless it insists on something. If both leave nothing of what was there, the last of them wins all the same. Of what happens only once, tasks are events of their own, and no others.
fn not_its_own(violation: &Violation<'_>) -> Option<String> {
    let (root, pivot) = early_and_late(violation)?;
    let program = violation.program;
    let var = root.access.var;
    let event = violation.trace.tasks[pivot.instance].proc;
    let once = matches!(program.proc(event).kind, ProcKind::Event { once: true, .. });
    let insists = |held: &Held| violation.basis(held).is_none_or(|basis| basis.asserts || basis.ends);
    let both = [root, pivot];
    if once || both.into_iter().any(insists) || both.into_iter().all(|held| overwrites(violation, held)) {
        return None;
    }
    let changes = |access: &Access| access.kind != AccessKind::Read && access.var == var;
    let own = held::accesses(program, event)?.iter().any(|(access, _)| changes(access));
    (program.changed.get(var.index())?.events > u32::from(own)).then(|| {
        let (finds, other) = if root.reads() { (root, pivot) } else { (pivot, root) };
        let name = |held: &Held| &program.proc(violation.trace.tasks[held.task].proc).name;
        format!(
            "other events change `{}`, too: a bug only if what `{}` finds there has to be what `{}` leaves there",
            violation.name(root),
            name(finds),
            name(other)
        )
    })
}

/// Tasks are alike, so which of them is first says nothing.
fn alike(violation: &Violation<'_>) -> Option<String> {
    let trace = violation.trace;
    let (root, pivot) = early_and_late(violation)?;
    let [one, other] = [root, pivot].map(|held| trace.tasks[held.task]);
    (root.task != pivot.task && one.proc == other.proc && one.instance == other.instance).then(|| {
        let name = &violation.program.proc(one.proc).name;
        format!(
            "both are tasks `{name}`, which are alike: a bug only if it matters which of them comes first"
        )
    })
}

/// Nothing goes by which of them is first: who looks changes nothing because of it, and nobody overwrites what the other has left.
/// What happens only once is what a program is about, and so is what is said of it.
fn unasked(violation: &Violation<'_>) -> Option<String> {
    let (root, pivot) = early_and_late(violation)?;
    let once = matches!(
        violation.program.proc(violation.trace.tasks[pivot.instance].proc).kind,
        ProcKind::Event { once: true, .. }
    );
    let matters = |held: &Held, other: &Held| {
        let Some(basis) = violation.basis(held) else { return true };
        // Who starts a task, and then says how things are, says how they are at that time.
        let said = (basis.told || basis.returned) && !violation.starts(held.task, other.task);
        basis.asserts || basis.ends || said && held.reads() || basis.decides
    };
    let last_wins = [root, pivot].into_iter().all(|held| overwrites(violation, held));
    if once || last_wins || matters(root, pivot) || matters(pivot, root) {
        return None;
    }
    let name = |held: &Held| &violation.program.proc(violation.trace.tasks[held.task].proc).name;
    Some(format!(
        "nothing is changed because of which of them is first: a bug only if what `{}` does to `{}` has to come before or after what \
         `{}` does",
        name(pivot),
        violation.name(pivot),
        name(root)
    ))
}

/// The access that comes too early, and the one that comes too late.
fn early_and_late<'v>(violation: &'v Violation<'_>) -> Option<(&'v Held, &'v Held)> {
    Some((violation.with_role(Role::Root)?, violation.with_role(Role::Pivot)?))
}
