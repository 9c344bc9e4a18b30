//! Violations that tear apart what nothing says belongs together.

use std::collections::BTreeSet;

use crate::finding::excuse::{Excuse, Others};
use crate::finding::violation::{Held, Violation};
use crate::finding::{MAX_CALLS, Role};
use crate::ir::passes::callers::{By, doing};
use crate::ir::*;
use crate::semantics::AccessKind;

/// Why what the pivot's event does apart need not belong together, if there is a reason.
pub(in crate::finding) fn unrelated(violation: &Violation<'_>) -> Option<Excuse> {
    let (first, last) = violation.ends()?;
    let again = || rounds(violation, first, last);
    let whoever = |reason| Excuse { reason, others: Others::Whoever };
    if first.access.var == last.access.var {
        let reason = elements(violation.program, first, last).or_else(again);
        return reason.or_else(|| beside(violation, first, last)).map(whoever);
    }
    // Somebody else may show that two changes belong together.
    let others = if first.reads() || last.reads() { Others::Whoever } else { Others::These };
    let apart = || apart(violation, first, last).map(|reason| Excuse { reason, others });
    again().map(whoever).or_else(apart)
}

/// The two accesses are those of two rounds of a loop, and each is to another of many elements that are locked one by one.
fn elements(program: &Program, first: &Held, last: &Held) -> Option<String> {
    let variable = &program.vars[first.access.var.index()];
    let again = again(first, last).next().is_some();
    (variable.is_many() && again).then(|| {
        format!(
            "`{}` stands for many, each protected on its own: here one is handled after the other",
            variable.name
        )
    })
}

/// The two accesses are to two things that have one name here: two arguments, say.
fn beside(violation: &Violation<'_>, first: &Held, last: &Held) -> Option<String> {
    crate::finding::elements::come_beside(violation, first, last).then(|| {
        let (variable, event) = (violation.name(last), violation.event(last));
        format!("`{variable}` stands for two things of one kind here, which `{event}` was given: a bug only if they have to agree")
    })
}

/// The statements that both accesses were made by, or under: done twice, or one place in a loop. What is done once, with both under it, is none.
pub(in crate::finding) fn again<'h>(first: &'h Held, last: &'h Held) -> impl Iterator<Item = Label> + 'h {
    let access = (first.label == last.label).then_some(first.label);
    first.since_anew(last).chain(access)
}

/// The two accesses are those of two rounds of a loop, each of which takes the lock anew, or looks anew, and goes by what it
/// finds then: a retry, or one piece of work after the other.
fn rounds(violation: &Violation<'_>, first: &Held, last: &Held) -> Option<String> {
    let (program, task) = (violation.program, violation.trace.tasks[first.task].proc);
    let anew = || again(first, last).any(|label| in_rounds(program, task, label));
    // What a round carries over to the next one, it relies on.
    let carried = || match (violation.basis(last), first.basis) {
        (Some(basis), Some(first)) => basis.data.include(first),
        _ => true,
    };
    let next = || in_next_round(program, task, first.label, last.label) && !carried();
    (first.task == last.task && (anew() || next())).then(|| {
        let variable = violation.name(last);
        format!("`{variable}` is accessed anew on every iteration of a loop: a bug only if two iterations have to agree")
    })
}

/// Whether a task comes to a statement in the rounds of a loop, and only there.
pub(in crate::finding) fn in_rounds(program: &Program, task: ProcId, label: Label) -> bool {
    let leading = leading(program, &[label]);
    matches!(ways((program, &leading), task, label, false, 0)[..], [true])
}

/// Whether a statement that comes after another one can only do so in a later round of a loop that both are in.
pub(in crate::finding) fn in_next_round(program: &Program, task: ProcId, first: Label, last: Label) -> bool {
    let mut text = Text {
        program,
        leading: leading(program, &[first, last]),
        wanted: [first, last],
        number: 0,
        loops: Vec::new(),
        found: [const { Vec::new() }; 2],
    };
    text.proc(task, 0);
    let [[(before, around)], [(after, also)]] = [&text.found[0][..], &text.found[1][..]] else {
        return false;
    };
    let common = around.iter().zip(also).take_while(|(one, other)| one == other).count();
    common > 0 && after < before
}

/// The procedures that a call of may come to one of these statements: others are not looked into, and there are many ways through recursion.
fn leading(program: &Program, labels: &[Label]) -> BTreeSet<ProcId> {
    doing(program, By::Calls, |stmt| labels.contains(&stmt.label))
}

/// Where two statements are in the text of a task, calls included.
struct Text<'p> {
    program: &'p Program,
    leading: BTreeSet<ProcId>,
    wanted: [Label; 2],
    number: u32,
    /// The loops around, by the number of the statement that they begin with.
    loops: Vec<u32>,
    /// Of each of the two: its number, and the loops around it, wherever it is.
    found: [Vec<(u32, Vec<u32>)>; 2],
}

impl Text<'_> {
    fn proc(&mut self, proc: ProcId, depth: u32) {
        if depth < MAX_CALLS && self.leading.contains(&proc) {
            self.block(&self.program.proc(proc).body, depth);
        }
    }

    fn block(&mut self, block: &Block, depth: u32) {
        for statement in block {
            if self.found.iter().any(|found| found.len() > 1) {
                return;
            }
            self.number += 1;
            for (wanted, found) in self.wanted.iter().zip(&mut self.found) {
                if statement.label == *wanted {
                    found.push((self.number, self.loops.clone()));
                }
            }
            match &statement.kind {
                StmtKind::If(_, yes, no) => {
                    self.block(yes, depth);
                    self.block(no, depth);
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                    self.loops.push(self.number);
                    self.block(body, depth);
                    self.loops.pop();
                }
                StmtKind::Call { proc, .. } => self.proc(*proc, depth + 1),
                _ => {}
            }
        }
    }
}

/// The ways from a procedure to a statement through calls, two at most: whether each leads through a loop.
fn ways(
    (program, leading): (&Program, &BTreeSet<ProcId>),
    proc: ProcId,
    label: Label,
    in_loop: bool,
    depth: u32,
) -> Vec<bool> {
    fn search(
        program: (&Program, &BTreeSet<ProcId>),
        block: &Block,
        label: Label,
        in_loop: bool,
        depth: u32,
        found: &mut Vec<bool>,
    ) {
        for statement in block {
            if found.len() > 1 {
                return;
            }
            if statement.label == label {
                found.push(in_loop);
            }
            match &statement.kind {
                StmtKind::If(_, yes, no) => {
                    search(program, yes, label, in_loop, depth, found);
                    search(program, no, label, in_loop, depth, found);
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                    search(program, body, label, true, depth, found);
                }
                StmtKind::Call { proc, .. } => found.extend(ways(program, *proc, label, in_loop, depth + 1)),
                _ => {}
            }
        }
    }
    let mut found = Vec::new();
    if depth < MAX_CALLS && leading.contains(&proc) {
        search((program, leading), &program.proc(proc).body, label, in_loop, depth, &mut found);
    }
    found
}

/// Nothing protects the two variables together: neither a lock that is held for all of the accesses, nor an executor that all
/// of them are on, and nobody who comes in between holds the locks of both. What belongs together is what is locked together (the "atomic sets" of Vaziri, Tip, Dolby, POPL 2006,
/// seen from the other side); of two variables with a lock each, or atomic ones, nothing says that they do. A check that is
/// acted on does say so, and so does a variable whose values are followed: a flag speaks of something else. An event that leaves
/// a part of its work to a task is one piece of work to whoever wrote it.
fn apart(violation: &Violation<'_>, first: &Held, last: &Held) -> Option<String> {
    let acted_on = first.access.kind == AccessKind::Read && last.access.kind != AccessKind::Read;
    let related = crate::finding::belonging::is_begun_anew(violation, first, last)
        || crate::finding::belonging::is_counted_anew(violation, first, last)
        || crate::finding::belonging::is_taken_early(violation, first, last)
        || crate::finding::belonging::is_in_hand(violation, first, last)
        || crate::finding::replaced::are_replaced_together(violation, first, last)
        || crate::finding::published::is_named_early(violation, first, last);
    if acted_on || related {
        return None;
    }
    let both = [first.access.var, last.access.var];
    if both.iter().any(|var| violation.program.vars[var.index()].domain.is_some()) {
        return None;
    }
    let on_cycle = violation.held.iter().filter(|held| held.role != Role::Step);
    let on_cycle: Vec<&Held> = on_cycle.filter(|held| both.contains(&held.access.var)).collect();
    let split = |a: &&Held| on_cycle.iter().any(|b| a.instance == b.instance && a.task != b.task);
    // Who holds the locks of both at once takes them for one.
    let at_once = |a: &&Held| {
        let mut others =
            on_cycle.iter().filter(|b| a.instance != last.instance && a.access.var != b.access.var);
        others.any(|b| a.is_at_once_with(b))
    };
    if on_cycle.iter().any(split) || on_cycle.iter().any(at_once) {
        return None;
    }
    let (one, others) = on_cycle.split_first()?;
    let common = one.by.iter().any(|by| others.iter().all(|other| other.by.contains(by)));
    let [first, last] = [first, last].map(|held| violation.name(held));
    (!common).then(|| {
        format!(
            "`{first}` and `{last}` are not guarded by a common lock: a bug only if their values have to agree"
        )
    })
}
