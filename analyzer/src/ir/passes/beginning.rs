//! The beginning of a program: what happens before anything else does, and events that only start others.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Block, Expr, LocalId, ProcId, ProcKind, Program, Stmt, StmtKind, Value, VarId};

use crate::ir::passes::callers::{By, doing, recursive};
use crate::ir::walk::{each, has_var, retain};

/// What a `once` event does before it starts anything else happens before everything else: it goes. An event that then only
/// starts others goes, too, and the others may start at any time. Of the events that the user named, `told`, nothing goes.
pub(crate) fn beginnings(program: &mut Program, started: &BTreeSet<VarId>, told: &BTreeSet<ProcId>) {
    inline_once(program);
    let starters = doing(program, By::Calls, |stmt| match &stmt.kind {
        StmtKind::SetVar(var, _) => started.contains(var),
        StmtKind::Async { .. } => true,
        _ => false,
    });
    // No event is called, so what happens to events below changes nothing of this.
    let mut more = doing(program, By::Calls, |stmt| !only_starts(stmt, started));
    more.extend(recursive(program));
    let unguarded = program
        .procs
        .iter()
        .filter(|proc| matches!(proc.kind, ProcKind::Event { guard: None, .. }) && !proc.body.is_empty());
    let alone = unguarded.count() == 1;
    let mut gone: Vec<(VarId, Option<VarId>)> = Vec::new();
    for index in 0..program.procs.len() {
        let ProcKind::Event { once: true, guard, .. } = program.procs[index].kind else { continue };
        if told.contains(&ProcId(index as u32)) {
            continue;
        }
        let begins = |stmt: &Stmt| {
            let mut found = false;
            each(std::slice::from_ref(stmt).to_vec().as_ref(), &mut |stmt| {
                found |= match &stmt.kind {
                    StmtKind::SetVar(var, _) => started.contains(var),
                    StmtKind::Call { proc, .. } => starters.contains(proc),
                    StmtKind::Async { .. } => true,
                    _ => false,
                };
            });
            found
        };
        if guard.is_none() && alone {
            let first = program.procs[index].body.iter().position(begins);
            let first = first.unwrap_or(program.procs[index].body.len());
            fold_initial(program, index, first);
            gone.extend(first_starts(program, index, started).into_iter().map(|var| (var, None)));
        }
        let body = &program.procs[index].body;
        let mut only = !body.is_empty();
        each(body, &mut |stmt| {
            let calls_more = matches!(&stmt.kind, StmtKind::Call { proc, .. } if more.contains(proc));
            only &= only_starts(stmt, started) && !calls_more;
        });
        if only {
            gone.extend(sets(program, ProcId(index as u32)).into_iter().map(|var| (var, guard)));
            program.procs[index].body.clear();
        }
    }
    // One that went may have waited for another that went.
    for _ in 0..=gone.len() {
        for (var, instead) in &gone {
            for proc in &mut program.procs {
                if let ProcKind::Event { guard, .. } = &mut proc.kind
                    && *guard == Some(*var)
                {
                    *guard = *instead;
                }
            }
        }
    }
    forget_unwaited(program, started);
}

/// Leaves out the starts that nobody waits for. Whether there were any.
pub(crate) fn forget_unwaited(program: &mut Program, started: &BTreeSet<VarId>) -> bool {
    let guards =
        program.procs.iter().filter(|proc| !proc.body.is_empty()).filter_map(|proc| match proc.kind {
            ProcKind::Event { guard, .. } => guard,
            _ => None,
        });
    let waited: BTreeSet<VarId> = guards.collect();
    let mut found = false;
    for proc in &mut program.procs {
        retain(&mut proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::SetVar(var, _) if started.contains(var) && !waited.contains(var) => {
                found = true;
                false
            }
            _ => true,
        });
    }
    found
}

/// Takes out what an event starts before it does anything else: from there on both run side by side, and none comes first.
fn first_starts(program: &mut Program, index: usize, started: &BTreeSet<VarId>) -> Vec<VarId> {
    let body = &mut program.procs[index].body;
    let leads = |stmt: &Stmt| match &stmt.kind {
        StmtKind::SetVar(var, Expr::Const(Value::Bool(true))) => started.contains(var),
        StmtKind::SetLocal(_, value) => !has_var(value),
        _ => false,
    };
    let lead = body.iter().take_while(|stmt| leads(stmt)).count();
    let (starts, locals): (Block, Block) =
        body.drain(..lead).partition(|stmt| matches!(stmt.kind, StmtKind::SetVar(..)));
    body.splice(0..0, locals);
    starts
        .iter()
        .flat_map(|stmt| match stmt.kind {
            StmtKind::SetVar(var, _) => Some(var),
            _ => None,
        })
        .collect()
}

/// Whether a statement starts another event, or does nothing that others notice; what it calls apart.
fn only_starts(stmt: &Stmt, started: &BTreeSet<VarId>) -> bool {
    match &stmt.kind {
        StmtKind::SetVar(var, _) => started.contains(var),
        StmtKind::SetLocal(_, value) => !has_var(value),
        StmtKind::If(condition, ..) | StmtKind::While(condition, _) => !has_var(condition),
        StmtKind::Return(_) | StmtKind::Yield | StmtKind::Loop(..) | StmtKind::Call { .. } => true,
        _ => false,
    }
}

/// The variables that a procedure and what it calls set.
fn sets(program: &Program, proc: ProcId) -> BTreeSet<VarId> {
    let (mut set, mut seen, mut work) = (BTreeSet::new(), BTreeSet::from([proc]), vec![proc]);
    while let Some(proc) = work.pop() {
        each(&program.proc(proc).body, &mut |stmt| match &stmt.kind {
            StmtKind::SetVar(var, _) => _ = set.insert(*var),
            StmtKind::Call { proc, .. } if seen.insert(*proc) => work.push(*proc),
            _ => {}
        });
    }
    set
}

/// Drops the first statements of a body; what they store in tracked variables is what these start with.
fn fold_initial(program: &mut Program, index: usize, count: usize) {
    let proc = &mut program.procs[index];
    let mut beginning: Block = proc.body.drain(..count.min(proc.body.len())).collect();
    let mut values: BTreeMap<VarId, Option<Value>> = BTreeMap::new();
    let mut keep = Vec::new();
    for stmt in beginning.drain(..) {
        match &stmt.kind {
            StmtKind::SetVar(var, Expr::Const(value)) => {
                values.insert(*var, Some(*value));
            }
            StmtKind::SetLocal(_, value) if !has_var(value) => keep.push(stmt),
            _ => each(&[stmt], &mut |stmt| {
                if let StmtKind::SetVar(var, _) | StmtKind::Write(var) = &stmt.kind {
                    values.insert(*var, None);
                }
            }),
        }
    }
    proc.body.splice(0..0, keep);
    for (var, value) in values {
        let Some(var) = program.vars.get_mut(var.index()) else { continue };
        match value {
            Some(value) => (var.init, var.open) = (value, false),
            None if var.domain.is_none() => {}
            // Unknown from the start: nothing can be said of its values, but the first one is harmless.
            None => {}
        }
    }
}

/// Puts procedures that are called in a single place, at the top of a `once` event, where they are called.
fn inline_once(program: &mut Program) {
    let mut calls: BTreeMap<ProcId, u32> = BTreeMap::new();
    for proc in &program.procs {
        each(&proc.body, &mut |stmt| {
            if let StmtKind::Call { proc, .. } = &stmt.kind {
                *calls.entry(*proc).or_insert(0) += 1;
            }
        });
    }
    for index in 0..program.procs.len() {
        if !matches!(program.procs[index].kind, ProcKind::Event { once: true, .. }) {
            continue;
        }
        for _ in 0..64 {
            let found =
                program.procs[index].body.iter().enumerate().find_map(|(at, stmt)| match &stmt.kind {
                    StmtKind::Call { proc, args, result }
                        if args.is_empty()
                            && calls.get(proc) == Some(&1)
                            && returns_last(&program.proc(*proc).body) =>
                    {
                        Some((at, *proc, *result))
                    }
                    _ => None,
                });
            let Some((at, callee, result)) = found else { break };
            // Its own calls move to the caller; nobody calls it any more.
            calls.remove(&callee);
            let shift = program.procs[index].locals.len() as u32;
            let locals = std::mem::take(&mut program.procs[callee.index()].locals);
            let mut body = std::mem::take(&mut program.procs[callee.index()].body);
            rename(&mut body, shift);
            if let Some(Stmt { kind: StmtKind::Return(value), .. }) = body.last_mut() {
                let value = value.take();
                match (value.zip(result), body.last_mut()) {
                    (Some((value, result)), Some(last)) => last.kind = StmtKind::SetLocal(result, value),
                    _ => {
                        body.pop();
                    }
                }
            }
            let caller = &mut program.procs[index];
            let names: BTreeSet<String> = caller.locals.iter().cloned().collect();
            caller.locals.extend(
                locals.into_iter().map(
                    |name| {
                        if names.contains(&name) { format!("{name}_{shift}") } else { name }
                    },
                ),
            );
            caller.body.splice(at..=at, body);
        }
    }
}

/// Whether a body returns at its very end only.
fn returns_last(body: &Block) -> bool {
    let mut count = 0;
    each(body, &mut |stmt| count += usize::from(matches!(stmt.kind, StmtKind::Return(_))));
    let last = matches!(body.last().map(|stmt| &stmt.kind), Some(StmtKind::Return(_)));
    count == 0 || (count == 1 && last)
}

fn rename(block: &mut Block, shift: u32) {
    let local = |local: &mut LocalId| local.0 += shift;
    fn expr(value: &mut Expr, shift: u32) {
        match value {
            Expr::Local(local) => local.0 += shift,
            Expr::Not(inner) => expr(inner, shift),
            Expr::Binary(_, a, b) => {
                expr(a, shift);
                expr(b, shift);
            }
            _ => {}
        }
    }
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::SetLocal(to, value) => {
                local(to);
                expr(value, shift);
            }
            StmtKind::SetVar(_, value) | StmtKind::Assume(value) | StmtKind::Return(Some(value)) => {
                expr(value, shift);
            }
            StmtKind::Async { handle, args, .. } => {
                handle.iter_mut().for_each(local);
                args.iter_mut().for_each(|arg| expr(arg, shift));
            }
            StmtKind::Join(handle) | StmtKind::Await(handle) => local(handle),
            StmtKind::Call { args, result, .. } => {
                result.iter_mut().for_each(local);
                args.iter_mut().for_each(|arg| expr(arg, shift));
            }
            StmtKind::If(condition, a, b) => {
                expr(condition, shift);
                rename(a, shift);
                rename(b, shift);
            }
            StmtKind::While(condition, body) => {
                expr(condition, shift);
                rename(body, shift);
            }
            StmtKind::Loop(_, body) => rename(body, shift),
            _ => {}
        }
    }
}
