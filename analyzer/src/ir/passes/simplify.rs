//! Leaving out of a program what cannot matter.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::{Block, Expr, LocalId, Mode, ProcId, ProcKind, Program, Stmt, StmtKind, Value, VarId, WAKE};

use crate::limits::Deadline;

use crate::ir::passes::arguments;
use crate::ir::passes::branches::branches;
use crate::ir::passes::callers::{By, doing};
use crate::ir::walk::{asked_by, each, has_var, locals_in, retain};

/// Simplifies until nothing changes. `told` are events that the user named.
pub(crate) fn simplify(
    program: &mut Program,
    started: &BTreeSet<VarId>,
    told: &BTreeSet<ProcId>,
    deadline: Deadline,
) {
    for _ in 0..12 {
        if deadline.is_over() {
            break;
        }
        let before = program.clone();
        crate::lower::emit::provisional::forget_idle(program);
        local(program);
        unasked_results(program);
        empty_procs(program);
        crate::ir::passes::beginning::beginnings(program, started, told);
        useless_locks(program);
        unwritten(program, started);
        for proc in &mut program.procs {
            if !matches!(proc.kind, ProcKind::Proc) {
                trim_yields(&mut proc.body);
            }
        }
        if *program == before {
            break;
        }
    }
}

/// Leaves out what does nothing once accesses were taken out of a program: calls and sections that are empty, and procedures that nobody comes
/// to any more. Statements keep their labels and places, procedures their numbers.
pub(crate) fn tidy(program: &mut Program, deadline: Deadline) {
    while !deadline.is_over() {
        let before = program.statements().len();
        arguments::unasked(program);
        local(program);
        unasked_results(program);
        empty_procs(program);
        for proc in &mut program.procs {
            empty_sections(&mut proc.body);
        }
        let reached = program.reaching();
        for (proc, _) in program.procs.iter_mut().zip(reached).filter(|(_, reached)| !reached) {
            proc.body.clear();
        }
        if program.statements().len() == before {
            break;
        }
    }
}

/// A task that suspends first thing or last thing might as well not: it starts at any time anyway.
pub(crate) fn trim_yields(block: &mut Block) {
    let idle = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Yield);
    while block.first().is_some_and(idle) {
        block.remove(0);
    }
    trim_last(block);
}

fn trim_last(block: &mut Block) {
    loop {
        match block.last_mut().map(|stmt| &mut stmt.kind) {
            Some(StmtKind::Yield | StmtKind::Return(None)) => {
                block.pop();
            }
            Some(StmtKind::If(condition, a, b)) => {
                trim_last(a);
                trim_last(b);
                if a.is_empty() && b.is_empty() && !has_var(condition) {
                    block.pop();
                } else {
                    return;
                }
            }
            _ => return,
        }
    }
}

/// Locals nobody asks, statements after a return, empty branches.
fn local(program: &mut Program) {
    for proc in &mut program.procs {
        let mut used = BTreeSet::new();
        each(&proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::Call { args, .. } | StmtKind::Async { args, .. } => {
                args.iter().for_each(|arg| locals_in(arg, &mut used));
            }
            _ => asked_by(stmt, &mut used),
        });
        let mut set = BTreeSet::new();
        each(&proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::SetLocal(local, _) => {
                set.insert(*local);
            }
            StmtKind::Async { handle: Some(local), .. } | StmtKind::Call { result: Some(local), .. } => {
                set.insert(*local);
            }
            _ => {}
        });
        retain(&mut proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::SetLocal(local, value) => used.contains(local) || has_var(value),
            StmtKind::Join(handle) | StmtKind::Await(handle) => set.contains(handle),
            _ => true,
        });
        plain(&mut proc.body, &used);
        branches(&mut proc.body);
        cut(&mut proc.body);
    }
}

/// A tracked read whose value nobody asks is a plain read; an unused handle is none.
fn plain(block: &mut Block, used: &BTreeSet<LocalId>) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::SetLocal(local, Expr::Var(var)) if !used.contains(local) => {
                stmt.kind = StmtKind::Read(*var);
            }
            StmtKind::Async { handle: local, .. } | StmtKind::Call { result: local, .. }
                if local.is_some_and(|local| !used.contains(&local)) =>
            {
                *local = None;
            }
            StmtKind::If(_, a, b) => {
                plain(a, used);
                plain(b, used);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => plain(body, used),
            _ => {}
        }
    }
}

/// Drops what follows a return.
fn cut(block: &mut Block) {
    if let Some(index) = block.iter().position(|stmt| matches!(stmt.kind, StmtKind::Return(_))) {
        block.truncate(index + 1);
    }
    for stmt in block.iter_mut() {
        match &mut stmt.kind {
            StmtKind::If(_, a, b) => {
                cut(a);
                cut(b);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => cut(body),
            _ => {}
        }
    }
}

/// Whether a statement does something that others can see; what it calls or starts apart.
fn is_seen(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Call { .. }
        | StmtKind::Async { .. }
        | StmtKind::Return(_)
        | StmtKind::Yield
        | StmtKind::Join(_)
        | StmtKind::Await(_)
        | StmtKind::Loop(..) => false,
        StmtKind::SetLocal(_, value) => has_var(value),
        StmtKind::If(condition, ..) | StmtKind::While(condition, _) => has_var(condition),
        _ => true,
    }
}

/// Tasks and procedures without effect go, with the calls to them; so do events.
fn empty_procs(program: &mut Program) {
    let active = doing(program, By::CallsAndTasks, is_seen);
    let all = (0..program.procs.len() as u32).map(ProcId);
    let idle: BTreeSet<ProcId> = all.filter(|id| !active.contains(id)).collect();
    let yields: BTreeSet<ProcId> = idle
        .iter()
        .copied()
        .filter(|id| {
            let mut found = false;
            each(&program.proc(*id).body, &mut |stmt| {
                found |= matches!(stmt.kind, StmtKind::Yield | StmtKind::Await(_));
            });
            found
        })
        .collect();
    for index in 0..program.procs.len() {
        let id = ProcId(index as u32);
        let proc = &mut program.procs[index];
        if idle.contains(&id) {
            proc.body.clear();
            continue;
        }
        guess_results(&mut proc.body, &idle);
        replace_idle(&mut proc.body, &idle, &yields);
        retain(&mut proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::Call { proc, .. } => !idle.contains(proc),
            StmtKind::Async { task, .. } => !idle.contains(task),
            _ => true,
        });
    }
}

/// What a call that goes would have returned may be anything.
fn guess_results(block: &mut Block, idle: &BTreeSet<ProcId>) {
    let mut index = 0;
    while index < block.len() {
        match &mut block[index].kind {
            StmtKind::Call { proc, result, .. } if idle.contains(proc) => {
                if let Some(local) = result.take() {
                    let kind = StmtKind::SetLocal(local, Expr::Any);
                    let guess = Stmt { kind, ..block[index].clone() };
                    block.insert(index, guess);
                    index += 1;
                }
            }
            StmtKind::If(_, a, b) => {
                guess_results(a, idle);
                guess_results(b, idle);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => guess_results(body, idle),
            _ => {}
        }
        index += 1;
    }
}

/// Procedures return what somebody takes.
fn unasked_results(program: &mut Program) {
    let mut asked: BTreeSet<ProcId> = BTreeSet::new();
    for proc in &program.procs {
        each(&proc.body, &mut |stmt| {
            if let StmtKind::Call { proc, result: Some(_), .. } = &stmt.kind {
                asked.insert(*proc);
            }
        });
    }
    for (index, proc) in program.procs.iter_mut().enumerate() {
        if !asked.contains(&ProcId(index as u32)) {
            forget_result(&mut proc.body);
            if matches!(proc.body.last().map(|stmt| &stmt.kind), Some(StmtKind::Return(None))) {
                proc.body.pop();
            }
        }
    }
}

fn forget_result(block: &mut Block) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Return(value) => *value = None,
            StmtKind::If(_, a, b) => {
                forget_result(a);
                forget_result(b);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => forget_result(body),
            _ => {}
        }
    }
}

/// A call of something that only suspends suspends.
fn replace_idle(block: &mut Block, idle: &BTreeSet<ProcId>, yields: &BTreeSet<ProcId>) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Call { proc, .. } if idle.contains(proc) && yields.contains(proc) => {
                stmt.kind = StmtKind::Yield;
            }
            StmtKind::If(_, a, b) => {
                replace_idle(a, idle, yields);
                replace_idle(b, idle, yields);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => replace_idle(body, idle, yields),
            _ => {}
        }
    }
}

/// Locks whose sections never hold an access, and locks that are acquired shared only.
fn useless_locks(program: &mut Program) {
    let mut exclusive = BTreeSet::new();
    for proc in &program.procs {
        each(&proc.body, &mut |stmt| {
            if let StmtKind::Acquire(lock, Mode::Exclusive) = &stmt.kind {
                exclusive.insert(*lock);
            }
        });
    }
    for var in &mut program.vars {
        var.guard = var.guard.filter(|lock| exclusive.contains(lock));
    }
    let wake = program.classes.iter().position(|class| class == WAKE);
    for proc in &mut program.procs {
        retain(&mut proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::Acquire(lock, _) | StmtKind::Release(lock) => exclusive.contains(lock),
            _ => true,
        });
        // Who takes a lock for nothing and then wakes others sees to it that they wait by then.
        let mut wakes = false;
        each(&proc.body, &mut |stmt| {
            wakes |= matches!(stmt.kind, StmtKind::Update(_, class) if Some(class.index()) == wake);
        });
        if !wakes {
            empty_sections(&mut proc.body);
        }
    }
    // A procedure that only locks and unlocks, called by nobody who accesses anything, is idle all the same.
    let accesses = |block: &Block| {
        let mut found = false;
        each(block, &mut |stmt| {
            found |= !matches!(
                stmt.kind,
                StmtKind::Acquire(..)
                    | StmtKind::Release(_)
                    | StmtKind::Yield
                    | StmtKind::Return(_)
                    | StmtKind::If(..)
                    | StmtKind::While(..)
                    | StmtKind::Loop(..)
            );
        });
        found
    };
    for proc in &mut program.procs {
        if !matches!(proc.kind, ProcKind::Proc) && !accesses(&proc.body) {
            proc.body.clear();
        }
    }
}

/// Variables that nothing changes are constants.
fn unwritten(program: &mut Program, started: &BTreeSet<VarId>) {
    let mut written: BTreeSet<VarId> = started.clone();
    for proc in &program.procs {
        each(&proc.body, &mut |stmt| match &stmt.kind {
            StmtKind::Write(var) | StmtKind::Update(var, _) | StmtKind::SetVar(var, _) => {
                written.insert(*var);
            }
            _ => {}
        });
    }
    let values: BTreeMap<VarId, Value> = program
        .vars
        .iter()
        .enumerate()
        .map(|(index, var)| (VarId(index as u32), var.init))
        .filter(|(var, _)| !written.contains(var) && !program.vars[var.index()].open)
        .collect();
    for proc in &mut program.procs {
        retain(
            &mut proc.body,
            &mut |stmt| !matches!(&stmt.kind, StmtKind::Read(var) if values.contains_key(var)),
        );
        constants(&mut proc.body, &values);
    }
}

fn constants(block: &mut Block, values: &BTreeMap<VarId, Value>) {
    fn expr(value: &mut Expr, values: &BTreeMap<VarId, Value>) {
        match value {
            Expr::Var(var) => {
                if let Some(known) = values.get(var) {
                    *value = Expr::Const(*known);
                }
            }
            Expr::Not(inner) => expr(inner, values),
            Expr::Binary(_, a, b) => {
                expr(a, values);
                expr(b, values);
            }
            _ => {}
        }
    }
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::SetVar(_, value) | StmtKind::SetLocal(_, value) | StmtKind::Assume(value) => {
                expr(value, values);
            }
            StmtKind::If(condition, a, b) => {
                expr(condition, values);
                constants(a, values);
                constants(b, values);
            }
            StmtKind::While(condition, body) => {
                expr(condition, values);
                constants(body, values);
            }
            StmtKind::Loop(_, body) => constants(body, values),
            _ => {}
        }
    }
}

/// `acquire l; release l` with nothing in between.
fn empty_sections(block: &mut Block) {
    let mut index = 0;
    while index + 1 < block.len() {
        let pair = match (&block[index].kind, &block[index + 1].kind) {
            (StmtKind::Acquire(a, _), StmtKind::Release(b)) => a == b,
            (StmtKind::Release(a), StmtKind::Release(b)) => {
                if a == b {
                    block.remove(index + 1);
                    continue;
                }
                false
            }
            _ => false,
        };
        if pair {
            block.drain(index..index + 2);
            index = index.saturating_sub(1);
        } else {
            index += 1;
        }
    }
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::If(_, a, b) => {
                empty_sections(a);
                empty_sections(b);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => empty_sections(body),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::ir::StmtKind;
    use crate::ir::text::parse;
    use crate::ir::walk::each;
    use crate::limits::Deadline;

    #[test]
    fn what_a_call_is_given_is_asked() {
        let text = "var x;
            event e on any { if * { at := 0; } else { at := 1; } call f(at); }
            proc f(at) { if at == 0 { write x; } else { read x; } }";
        let mut program = parse(text, "test.rob").expect("a program");
        super::tidy(&mut program, Deadline::never());
        let mut set = 0;
        for proc in &program.procs {
            each(&proc.body, &mut |stmt| set += usize::from(matches!(stmt.kind, StmtKind::SetLocal(..))));
        }
        assert_eq!(set, 2, "{program:?}");
    }
}
