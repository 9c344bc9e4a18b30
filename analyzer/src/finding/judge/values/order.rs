//! Orders of an event's tasks that need not matter.

use crate::filter::held;
use crate::finding::Role;
use crate::finding::reliance::overwrites;
use crate::finding::unrelated::{in_next_round, in_rounds};
use crate::finding::violation::{Held, Violation};
use crate::ir::calls::Calls;
use crate::ir::{Basis, Change, Count, Label, ProcId, ProcKind};
use crate::semantics::{Access, AccessKind};
use crate::witness::{Act, TraceTask};

/// Why an order of an event's tasks need not matter, if there is a reason.
pub fn any_order(violation: &Violation<'_>) -> Option<String> {
    if let Some(reason) = let_on(violation) {
        return Some(reason);
    }
    if takes_out_in_vain(violation) {
        return None;
    }
    alike(violation)
        .or_else(|| to_the_same_end(violation))
        .or_else(|| recurring(violation))
        .or_else(|| of_other_rounds(violation))
        .or_else(|| has_no_end(violation))
        .or_else(|| counts_itself_out(violation))
        .or_else(|| unasked(violation))
        .or_else(|| not_its_own(violation))
        .or_else(|| there_for_others(violation))
}

/// The task has waited for a message on a channel of which the one that has started it has the other end, and lets it out when it wants to.
fn let_on(violation: &Violation<'_>) -> Option<String> {
    let (early, late) = early_and_late(violation)?;
    let waits = violation.basis(early).is_some_and(|basis| basis.let_on);
    (waits && violation.starts(late.task, early.task)).then(|| {
        format!(
            "the task has received something before that, on a channel that its starter has made: a bug only if somebody can send there \
             before `{}` is there",
            violation.name(late)
        )
    })
}

/// A task takes out, under a key, what the one that has started it puts in under that key: if it comes first there is nothing yet, and what is
/// put in then stays for good, unless who puts it in looks after that, and takes it out, too.
pub(in crate::finding) fn takes_out_in_vain(violation: &Violation<'_>) -> bool {
    let Some((early, late)) = early_and_late(violation) else { return false };
    let takes_out = |basis: &Basis| {
        basis.change == Some(Change::Remove) && late.basis.is_some_and(|late| basis.undoes.contains(&late))
    };
    let program = violation.program;
    let starter = Calls::new(program).reachable(violation.trace.tasks[late.task].proc);
    let mut own = starter.into_iter().flat_map(|proc| program.proc(proc).statements());
    violation.basis(early).is_some_and(takes_out)
        && !own.any(|stmt| program.basis_of(stmt).is_some_and(takes_out))
}

/// Other events change the variable, too: what one of the two finds there is not what the other's work comes to, and it has to make do with
/// whatever there is, unless it insists on something. If both leave nothing of what was there, the last of them wins all the same. Of what happens only once, tasks are events of their own, and no others.
fn not_its_own(violation: &Violation<'_>) -> Option<String> {
    let (root, pivot) = early_and_late(violation)?;
    let program = violation.program;
    let var = root.access.var;
    let event = violation.proc(pivot);
    let both = [root, pivot];
    if is_once(violation, pivot)
        || both.into_iter().any(|held| violation.insists(held))
        || both.into_iter().all(|held| overwrites(violation, held))
    {
        return None;
    }
    let changes = |access: &Access| access.kind != AccessKind::Read && access.var == var;
    let own = held::Tasks::new(program).accesses(event)?.iter().any(|(access, _)| changes(access));
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

/// Other events use the variable, too, whenever they come, and have to make do with what is there: what a task is left to do beside them is
/// seldom meant to come before or after something. Of what happens only once, it is the program's own course that says so; of two who leave
/// nothing of what was there, the last one wins.
fn there_for_others(violation: &Violation<'_>) -> Option<String> {
    let (root, pivot) = early_and_late(violation)?;
    let (program, var) = (violation.program, root.access.var);
    let both = [root, pivot];
    if is_once(violation, pivot)
        || both.into_iter().any(|held| violation.insists(held))
        || both.into_iter().all(|held| overwrites(violation, held))
        || is_counted_by_its_task(violation)
    {
        return None;
    }
    let own = held::Tasks::new(program).accesses(violation.proc(pivot))?;
    let own = own.iter().any(|(access, _)| access.var == var);
    (program.changed.get(var.index())?.users > u32::from(own)).then(|| {
        format!(
            "`{}` is there for other events, too, whenever they come: a bug only if `{}` has to come before or after what its task does",
            violation.name(root),
            violation.event(pivot)
        )
    })
}

/// A task counts itself in, and the one that has started it looks at the number: it is to find all that it has started.
fn is_counted_by_its_task(violation: &Violation<'_>) -> bool {
    let Some((root, pivot)) = early_and_late(violation) else { return false };
    let Some((above, _)) = starter(violation) else { return false };
    let task = if std::ptr::eq(above, root) { pivot } else { root };
    let counts = violation.basis(task).and_then(|basis| basis.counts);
    above.reads() && counts == Some(Count::Up)
}

/// Both are to something of which there are many, made one after the other.
fn recurring(violation: &Violation<'_>) -> Option<String> {
    let (root, pivot) = early_and_late(violation)?;
    let end = violation.recurring([root, pivot])?;
    Some(format!(
        "there are many of `{}`, each made by, or given to, another call: a bug only if both accesses are to the same one",
        violation.name(end)
    ))
}

/// Both leave the same, whichever is first.
fn to_the_same_end(violation: &Violation<'_>) -> Option<String> {
    let (root, pivot) = early_and_late(violation)?;
    let stores = |held: &Held| violation.basis(held)?.stores.clone();
    let many = violation.program.vars[root.access.var.index()].is_many();
    (!many && stores(root).is_some() && stores(root) == stores(pivot)).then(|| {
        let name = violation.name(root);
        format!("both leave the same in `{name}`: a bug only if it matters when it comes to be there")
    })
}

/// Tasks are alike, so which of them is first says nothing.
fn alike(violation: &Violation<'_>) -> Option<String> {
    let trace = violation.trace;
    let (root, pivot) = early_and_late(violation)?;
    let [one, other] = [root, pivot].map(|held| trace.tasks[held.task]);
    // What is started in one place of the source is one task, in however many contexts.
    let started = |task: &TraceTask| match trace.actions[task.started_by?].act {
        Act::Statement { place, .. } => place,
        _ => None,
    };
    let one_place = || started(&one).is_some_and(|place| started(&other) == Some(place));
    // A worker that ends starts another one, which runs what it has run.
    let calls = Calls::new(violation.program);
    let place = |proc: ProcId| violation.program.proc(proc).place;
    let runs = |task: &TraceTask, text: &TraceTask| {
        let text = place(text.proc);
        text.is_some() && calls.reachable(task.proc).into_iter().any(|proc| place(proc) == text)
    };
    let alike = || one.proc == other.proc || one_place() || runs(&one, &other) || runs(&other, &one);
    (root.task != pivot.task && one.instance == other.instance && alike()).then(|| {
        let name = &violation.program.proc(one.proc).name;
        format!(
            "both are tasks `{name}`, which are alike: a bug only if it matters which of them comes first"
        )
    })
}

/// One starts the other in a round of a loop, and comes to its own access in a later round only: a round each has to do with another
/// one of many elements.
fn of_other_rounds(violation: &Violation<'_>) -> Option<String> {
    let (root, pivot) = early_and_late(violation)?;
    let (above, started) = starter(violation)?;
    let keyed = |held: &Held| violation.basis(held).is_some_and(|basis| basis.keyed);
    let many = violation.program.vars[root.access.var.index()].is_many() || keyed(root) && keyed(pivot);
    let task = violation.trace.tasks[above.task].proc;
    (many && in_next_round(violation.program, task, started, above.label)).then(|| {
        format!(
            "`{}` stands for many, and each iteration of a loop starts a task: a bug only if another iteration has to do with the same",
            violation.name(root)
        )
    })
}

/// One that waits for the outside again and again has no end that would have to come before or after anything: be it the one that starts the
/// other, or the one that comes late, where neither starts the other, and in its rounds.
fn has_no_end(violation: &Violation<'_>) -> Option<String> {
    let (root, pivot) = early_and_late(violation)?;
    let program = violation.program;
    let task = |held: &Held| violation.trace.tasks[held.task].proc;
    let (serving, theirs) = match starter(violation) {
        Some((above, _)) => (above, "the task does that it has started"),
        None if root.task != pivot.task && in_rounds(program, task(pivot), pivot.label) => {
            (pivot, "the other task does")
        }
        None => return None,
    };
    (violation.serves(serving) && !is_once(violation, serving)).then(|| {
        format!(
            "`{}` goes on until others end it: a bug only if what it does to `{}` has to come before what {theirs}",
            program.proc(task(serving)).name,
            violation.name(serving)
        )
    })
}

/// The one that starts the other, and where.
fn starter<'v>(violation: &'v Violation<'_>) -> Option<(&'v Held, Label)> {
    let (root, pivot) = early_and_late(violation)?;
    let started =
        |above: &'v Held, below: &Held| Some((above, violation.started_at(above.task, below.task)?));
    started(pivot, root).or_else(|| started(root, pivot))
}

/// Whether the event of an access happens only once.
fn is_once(violation: &Violation<'_>, held: &Held) -> bool {
    matches!(violation.program.proc(violation.proc(held)).kind, ProcKind::Event { once: true, .. })
}

/// A task takes back what the one that has started it noted for it before: how many are at work is what others look at meanwhile.
fn counts_itself_out(violation: &Violation<'_>) -> Option<String> {
    let (root, pivot) = early_and_late(violation)?;
    let (above, started) = starter(violation)?;
    let out = if std::ptr::eq(above, root) { pivot } else { root };
    let counted_in =
        |held: &Held| held.task == above.task && held.label != started && held.label != above.label;
    let looks = above.reads() && !violation.insists(above);
    (looks && violation.counts_out(out, counted_in)).then(|| {
        format!(
            "the task takes itself out of `{}`, where it was counted before it was started: who looks meanwhile is meant to see how many \
             there are",
            violation.name(out)
        )
    })
}

/// Nothing goes by which of them is first: who looks changes nothing because of it, and nobody overwrites what the other has left.
/// What happens only once is what a program is about, and so is what is said of it.
fn unasked(violation: &Violation<'_>) -> Option<String> {
    let (root, pivot) = early_and_late(violation)?;
    let matters = |held: &Held, other: &Held| {
        let Some(basis) = violation.basis(held) else { return true };
        // Who starts a task, and then says how things are, says how they are at that time.
        let said = (basis.told || basis.returned) && !violation.starts(held.task, other.task);
        basis.asserts || basis.ends || said && held.reads() || basis.decides
    };
    let last_wins = [root, pivot].into_iter().all(|held| overwrites(violation, held));
    if is_once(violation, pivot) || last_wins || matters(root, pivot) || matters(pivot, root) {
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
