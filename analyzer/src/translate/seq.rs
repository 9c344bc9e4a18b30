//! `seq` (section 5): a started task becomes a call on its parent's list, which is run when the parent's body is over.

use super::Translated;
use super::build::*;
use crate::ir::*;

/// The sequential program with the runs that depth-first order has in the given one: `async` puts a call on the running
/// task's list, `join` makes that call at once, and at its end a task makes the calls that are left, in order.
pub fn seq(mut translated: Translated) -> Translated {
    // What the parent of a joined task looks at must survive the task's own children.
    let entry = translated.entry.index();
    let joined = translated.program.procs.iter().enumerate().any(|(i, p)| i != entry && any_join(&p.body));
    let kept = if joined { translated.returned.clone() } else { Vec::new() };
    for proc in &mut translated.program.procs {
        if let ProcKind::Task { .. } = proc.kind {
            let mut restore = Vec::new();
            for &x in &kept {
                let local = LocalId(proc.locals.len() as u32);
                proc.locals.push(format!("own_{}", translated.program.vars[x.index()].name));
                proc.body.push(set_local(local, var(x)));
                restore.push(set(x, Expr::Local(local)));
            }
            proc.body.push(stmt(StmtKind::RunDeferred));
            proc.body.append(&mut restore);
        }
        block(&mut proc.body);
    }
    translated
}

fn any_join(block: &Block) -> bool {
    let mut found = false;
    crate::ir::walk::each(block, &mut |s| found |= matches!(s.kind, StmtKind::Join(_) | StmtKind::Await(_)));
    found
}

fn block(statements: &mut Block) {
    for s in statements {
        match &mut s.kind {
            StmtKind::Async { task, args, handle } => {
                s.kind = StmtKind::Defer { task: *task, args: std::mem::take(args), handle: *handle };
            }
            StmtKind::Join(h) | StmtKind::Await(h) => s.kind = StmtKind::Force(*h),
            StmtKind::If(_, yes, no) => {
                block(yes);
                block(no);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => block(body),
            _ => {}
        }
    }
}
