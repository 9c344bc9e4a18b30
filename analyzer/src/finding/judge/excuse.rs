//! Violations that are no bugs, or need not be: found out from the program, not from names.

use crate::finding::counted_late::is_counted_late;
use crate::finding::holders::leaves_it_to_others;
use crate::finding::messages::{is_inquired_and_told, is_of_another, is_sent_early};
use crate::finding::news::misses_news;
use crate::finding::violation::Violation;
use crate::ir::*;
use crate::semantics::{AccessKind, Machine};
use crate::witness::{Act, Replayed, Trace};

/// Why a violation of serializability need not matter, if there is a reason; `events` are those it was looked for among, and
/// `flags` is what [`flags`] says of the variables.
pub fn excuse(
    machine: &Machine,
    flags: &[Option<bool>],
    violation: &Violation<'_>,
    events: &[ProcId],
) -> Option<Excuse> {
    let (program, trace, replayed) = (violation.program, violation.trace, violation.replayed);
    if violation.ends_with_wait()
        || violation.ends().is_some_and(|(first, _)| violation.hands_out(first))
        || is_sent_early(violation)
        || is_of_another(violation)
        || is_inquired_and_told(violation)
        || misses_news(violation)
        || is_counted_late(violation)
        || leaves_it_to_others(violation)
    {
        return None;
    }
    let whoever = |reason| Excuse { reason, others: Others::Whoever };
    // Where all values are known, it is known whether the end differs; what somebody is told on the way is no part of it, nor is what
    // is only added to.
    let told = violation.ends().is_some_and(|(first, _)| {
        violation.basis(first).is_some_and(|basis| basis.told || basis.decides_unseen)
    });
    let known = !told && events.iter().all(|event| is_followed(program, *event));
    stopped(machine, flags, trace, replayed)
        .map(whoever)
        .or_else(|| crate::finding::unrelated::unrelated(violation))
        .or_else(|| crate::finding::runs::run_twice(violation))
        .or_else(|| crate::finding::runs::calls_what_was_set(violation))
        .or_else(|| {
            let reason = crate::finding::under_way::under_way(violation)
                .or_else(|| crate::finding::unlocked::unlocked(violation))
                .or_else(|| crate::finding::statistics::only_counted(violation))
                .or_else(|| crate::finding::counted_again::counted_again(violation))
                .or_else(|| crate::finding::memo::loads_again(violation))
                .or_else(|| crate::finding::outlived::outlived(violation))?;
            Some(Excuse { reason, others: Others::These })
        })
        .or_else(|| crate::finding::reliance::independent(violation))
        .or_else(|| crate::finding::registered::registered(violation))
        .or_else(|| crate::finding::reserved::reserved(violation))
        .or_else(|| crate::finding::put_back::put_back(violation))
        .or_else(|| crate::finding::drawn::is_taken_out(violation))
        .or_else(|| crate::finding::in_place::keeps_its_index(violation))
        .or_else(|| crate::finding::in_place::keeps_its_element(violation))
        .or_else(|| crate::finding::refilled::refills_both(violation))
        .or_else(|| if known { None } else { crate::finding::belonging::unwarranted(violation) })
        .or_else(|| {
            let reason = crate::finding::commuting::commuting(violation)?;
            Some(Excuse { reason, others: Others::These })
        })
        .or_else(|| {
            let reason = (!told).then(|| same_end(machine, trace, replayed, events)).flatten()?;
            Some(whoever(reason))
        })
        .or_else(|| {
            let reason = crate::finding::scattered::scattered(violation)?;
            Some(Excuse { reason, others: Others::These })
        })
}

/// Why a violation need not matter.
pub struct Excuse {
    /// The reason, in words.
    pub reason: String,
    /// Whom it holds for.
    pub others: Others,
}

/// The other events on a cycle that an excuse holds for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// Whoever comes in between.
    Whoever,
    /// Those that do in this one: others may do worse.
    These,
}

/// The pivot looks at a flag that another event set, and only to stop: what happens is what the flag is for.
fn stopped(machine: &Machine, flags: &[Option<bool>], trace: &Trace, replayed: &Replayed) -> Option<String> {
    let pivot = &trace.actions[*replayed.order.last()?];
    let Act::Statement { access: Some(access), .. } = pivot.act else { return None };
    if access.kind != AccessKind::Read {
        return None;
    }
    let raised = flags.get(access.var.index()).copied()??;
    // With the flag's value followed, what is read is what is put there.
    let mut program = machine.program.clone();
    program.vars[access.var.index()].domain = Some(Domain::Bool);
    let follows = machine.beside(&program).ok()?;
    let (states, task) = &replayed.before_pivot;
    let goes_on = |value| {
        let value = Value::Bool(value);
        let mut all = states.iter().map(|state| follows.goes_on(state, *task, access.var.index(), value));
        all.try_fold(false, |goes_on, one| Some(goes_on || one?))
    };
    if goes_on(raised)? || !goes_on(!raised)? {
        return None;
    }
    let name = |proc: ProcId| &machine.program.proc(proc).name;
    let delayed = trace.tasks[pivot.task].instance;
    let others = replayed.order.iter().rev().map(|&action| &trace.actions[action]);
    let setter = others.into_iter().find_map(|action| {
        let Act::Statement { access: Some(other), .. } = action.act else { return None };
        let instance = trace.tasks[action.task].instance;
        (instance != delayed && other.conflicts(access)).then_some(trace.tasks[instance].proc)
    })?;
    let variable = &machine.program.vars[access.var.index()].name;
    let (reader, setter) = (name(trace.tasks[delayed].proc), name(setter));
    Some(format!(
        "`{variable}` is a flag that `{setter}` sets, and `{reader}` does nothing more once it has seen it: this is what such a flag \
         is for"
    ))
}

/// By variable: the value that all changes of a truth value give it, when that is only one and not its first.
pub fn flags(program: &Program) -> Vec<Option<bool>> {
    /// What is stored in a variable.
    #[derive(Clone, Copy, PartialEq)]
    enum Stored {
        Nothing,
        Always(bool),
        Anything,
    }
    let mut stored = vec![Stored::Nothing; program.vars.len()];
    for statement in program.statements() {
        let (var, value) = match &statement.kind {
            StmtKind::Write(x) => (x, Stored::Anything),
            StmtKind::Update(x, class) => {
                (x, program.left_by(*class).map_or(Stored::Anything, Stored::Always))
            }
            StmtKind::SetVar(x, _) if program.vars[x.index()].domain == Some(Domain::Presence) => {
                (x, Stored::Anything)
            }
            StmtKind::SetVar(x, Expr::Const(Value::Bool(value))) => (x, Stored::Always(*value)),
            StmtKind::SetVar(x, _) => (x, Stored::Anything),
            _ => continue,
        };
        let known = &mut stored[var.index()];
        *known = if *known == Stored::Nothing || *known == value { value } else { Stored::Anything };
    }
    let flag = |(declared, stored): (&Var, Stored)| match stored {
        Stored::Always(value) if declared.domain.is_none() || declared.is_first(Value::Bool(!value)) => {
            Some(value)
        }
        _ => None,
    };
    program.vars.iter().zip(stored).map(flag).collect()
}

/// More variables than these whose first values are open are not looked at.
const OPEN: usize = 6;

/// All values being known, the events end in a state in which they end one after the other, too, whatever their overlap.
fn same_end(machine: &Machine, trace: &Trace, replayed: &Replayed, events: &[ProcId]) -> Option<String> {
    if !events.iter().all(|&event| is_followed(&machine.program, event)) {
        return None;
    }
    let instances: Vec<ProcId> =
        trace.tasks.iter().filter(|task| task.started_by.is_none()).map(|task| task.proc).collect();
    let pivot = &trace.actions[*replayed.order.last()?];
    let delayed = trace.tasks[trace.tasks[pivot.task].instance].proc;
    // The same violation can come about with any of the other events.
    let once = |event| matches!(machine.program.proc(event).kind, ProcKind::Event { once: true, .. });
    let others = events.iter().filter(|&&other| other != delayed || !once(delayed));
    let pairs = others.map(|&other| vec![delayed, other]);
    // Too many states to begin in are no excuse.
    if machine.program.vars.iter().filter(|var| var.open).count() > OPEN {
        return None;
    }
    let firsts = machine.initials();
    let harmless = |events: Vec<ProcId>| {
        firsts.iter().try_for_each(|first| {
            let (ends, serial) = (machine.ends(first, &events)?, machine.serial_ends(first, &events)?);
            ends.is_subset(&serial).then_some(())
        })
    };
    pairs.chain([instances]).try_for_each(harmless)?;
    Some(
        "however these handlers overlap, they end in a state in which they can also end one after the other"
            .into(),
    )
}

/// Whether what an event does depends on values that are followed, and nothing else, and it changes such values only.
fn is_followed(program: &Program, event: ProcId) -> bool {
    if !matches!(program.proc(event).kind, ProcKind::Event { guard: None, .. }) {
        return false;
    }
    let (mut reached, mut at) = (vec![event], 0);
    while let Some(&proc) = reached.get(at) {
        at += 1;
        for statement in program.proc(proc).statements() {
            let followed = match &statement.kind {
                StmtKind::SetVar(x, value) => match program.vars[x.index()].domain {
                    // What is there, or in a variant, is not followed.
                    Some(Domain::Variant { .. }) | None => false,
                    Some(Domain::Presence) => *value == Expr::Const(Value::Bool(false)),
                    Some(_) => knows(program, value),
                },
                StmtKind::SetLocal(_, value)
                | StmtKind::Assume(value)
                | StmtKind::If(value, ..)
                | StmtKind::While(value, _) => knows(program, value),
                StmtKind::Return(Some(value)) => knows(program, value),
                StmtKind::Update(x, class) => {
                    let domain = program.vars[x.index()].domain;
                    domain.is_some_and(|domain| matches!(program.updated(domain, *class), Updated::Value(_)))
                }
                StmtKind::Write(_) => false,
                StmtKind::Call { proc, args, .. } | StmtKind::Async { task: proc, args, .. } => {
                    if !reached.contains(proc) {
                        reached.push(*proc);
                    }
                    args.iter().all(|value| knows(program, value))
                }
                _ => true,
            };
            if !followed {
                return false;
            }
        }
    }
    true
}

fn knows(program: &Program, value: &Expr) -> bool {
    match value {
        Expr::Const(_) | Expr::Local(_) => true,
        Expr::Var(x) => program.vars[x.index()].domain.is_some(),
        Expr::Any => false,
        Expr::Not(inner) => knows(program, inner),
        Expr::Binary(_, a, b) => knows(program, a) && knows(program, b),
    }
}
