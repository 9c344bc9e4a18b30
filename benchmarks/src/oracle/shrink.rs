//! Programs made smaller while something stays true of them.

use robust_analyzer::ir::*;

/// The smallest program that can be reached in steps that keep `same` true: statements taken out, nested ones taken
/// up, what can be plain made plain.
pub fn shrink(mut program: Program, same: impl Fn(&Program) -> bool) -> Program {
    loop {
        let mut smaller = false;
        let mut at = 0;
        while let Some(candidates) = candidates(&program, at) {
            let better = |c: &Program| *c != program && validate(c).is_ok() && same(c);
            match candidates.into_iter().find(better) {
                Some(better) => (program, smaller) = (better, true),
                None => at += 1,
            }
        }
        if !smaller {
            return without_unused(program);
        }
    }
}

/// The programs to try at a position: first the statements in order, then the procedures. `None` behind the last.
fn candidates(program: &Program, at: usize) -> Option<Vec<Program>> {
    let statements: usize = program.procs.iter().map(|p| count(&p.body)).sum();
    if at < statements {
        let edits: &[fn(Stmt) -> Block] = &[
            |_| Vec::new(),
            |s| match s.kind {
                StmtKind::If(_, yes, _) => yes,
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => body,
                _ => vec![s],
            },
            |s| match s.kind {
                StmtKind::If(_, _, no) => no,
                _ => vec![s],
            },
            |s| vec![plainer(s)],
        ];
        let edited = |edit: &fn(Stmt) -> Block| {
            let mut program = program.clone();
            let mut left = at;
            for proc in &mut program.procs {
                let body = std::mem::take(&mut proc.body);
                proc.body = edit_block(body, &mut left, edit);
            }
            program
        };
        return Some(edits.iter().map(edited).collect());
    }
    let proc = at - statements;
    let kind = program.procs.get(proc)?.kind;
    let kinds = match kind {
        ProcKind::Event { once, alone, on, guard } => vec![
            ProcKind::Event { once, alone, on: Where::Any, guard: None },
            ProcKind::Event { once, alone, on: Where::Any, guard },
            ProcKind::Event { once, alone, on, guard: None },
            ProcKind::Event { once: false, alone: false, on, guard },
        ],
        ProcKind::Task { .. } => vec![ProcKind::Task { on: Where::Any }],
        ProcKind::Proc => Vec::new(),
    };
    let changed = |kind| {
        let mut program = program.clone();
        program.procs[proc].kind = kind;
        program
    };
    Some(kinds.into_iter().map(changed).collect())
}

fn count(block: &Block) -> usize {
    let nested = |s: &Stmt| match &s.kind {
        StmtKind::If(_, yes, no) => count(yes) + count(no),
        StmtKind::While(_, body) | StmtKind::Loop(_, body) => count(body),
        _ => 0,
    };
    block.iter().map(|s| 1 + nested(s)).sum()
}

/// Replaces the statement that `left` others come before. `left` counts down, and wraps around behind it.
fn edit_block(block: Block, left: &mut usize, edit: &fn(Stmt) -> Block) -> Block {
    let mut out = Vec::new();
    for mut s in block {
        if *left == 0 {
            *left = usize::MAX;
            out.extend(edit(s));
            continue;
        }
        *left -= 1;
        match &mut s.kind {
            StmtKind::If(_, yes, no) => {
                *yes = edit_block(std::mem::take(yes), left, edit);
                *no = edit_block(std::mem::take(no), left, edit);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                *body = edit_block(std::mem::take(body), left, edit);
            }
            _ => {}
        }
        out.push(s);
    }
    out
}

/// The same kind of statement with less in it.
fn plainer(mut s: Stmt) -> Stmt {
    s.kind = match s.kind {
        StmtKind::If(_, yes, no) => StmtKind::If(Expr::Any, yes, no),
        StmtKind::Acquire(l, Mode::Shared) => StmtKind::Acquire(l, Mode::Exclusive),
        StmtKind::Await(h) => StmtKind::Join(h),
        StmtKind::SetVar(x, _) => StmtKind::Write(x),
        StmtKind::SetLocal(_, Expr::Var(x)) => StmtKind::Read(x),
        StmtKind::Call { proc, args, .. } => {
            StmtKind::Call { proc, args: args.iter().map(|_| Expr::Any).collect(), result: None }
        }
        StmtKind::Async { task, args, .. } => {
            StmtKind::Async { task, args: args.iter().map(|_| Expr::Any).collect(), handle: None }
        }
        kind => kind,
    };
    s
}

/// The program without locals that nothing names and procedures that nothing starts or calls.
fn without_unused(program: Program) -> Program {
    // Printing and reading drops what no statement names.
    let printed = program.to_string();
    text::parse(&printed, "").unwrap_or(program)
}
