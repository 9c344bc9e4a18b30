//! Walking statements and expressions.

use std::collections::BTreeSet;

use super::{Block, Expr, LocalId, Stmt, StmtKind, VarId};

/// Calls `f` on every statement, inner ones included.
pub(crate) fn each<'p>(block: &'p [Stmt], f: &mut dyn FnMut(&'p Stmt)) {
    for stmt in block {
        f(stmt);
        match &stmt.kind {
            StmtKind::If(_, a, b) => {
                each(a, f);
                each(b, f);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => each(body, f),
            _ => {}
        }
    }
}

/// Calls `f` on every statement, inner ones included, to change it.
pub(crate) fn each_mut(block: &mut Block, f: &mut dyn FnMut(&mut Stmt)) {
    for stmt in block {
        f(stmt);
        match &mut stmt.kind {
            StmtKind::If(_, a, b) => {
                each_mut(a, f);
                each_mut(b, f);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => each_mut(body, f),
            _ => {}
        }
    }
}

/// The locals that a statement goes by, those apart that it passes on as arguments of calls and tasks.
pub(crate) fn asked_by(stmt: &Stmt, out: &mut BTreeSet<LocalId>) {
    match &stmt.kind {
        StmtKind::If(value, ..)
        | StmtKind::While(value, _)
        | StmtKind::Assume(value)
        | StmtKind::SetLocal(_, value)
        | StmtKind::SetVar(_, value)
        | StmtKind::Return(Some(value)) => locals_in(value, out),
        StmtKind::Join(handle) | StmtKind::Await(handle) | StmtKind::Force(handle) => {
            out.insert(*handle);
        }
        StmtKind::Defer { args, .. } => args.iter().for_each(|arg| locals_in(arg, out)),
        _ => {}
    }
}

/// Keeps the statements `keep` says, inner ones included, and drops branches and loops that are left empty.
pub(crate) fn retain(block: &mut Block, keep: &mut dyn FnMut(&Stmt) -> bool) {
    block.retain_mut(|stmt| match &mut stmt.kind {
        StmtKind::If(condition, a, b) => {
            retain(a, keep);
            retain(b, keep);
            !(a.is_empty() && b.is_empty()) || has_var(condition)
        }
        StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
            retain(body, keep);
            !body.is_empty()
        }
        _ => keep(stmt),
    });
}

/// An expression in which any value takes the place of the shared variables that are left out.
pub(crate) fn with_any(expr: &Expr, is_left_out: &impl Fn(VarId) -> bool) -> Expr {
    let inner = |expr: &Expr| Box::new(with_any(expr, is_left_out));
    match expr {
        Expr::Var(var) if is_left_out(*var) => Expr::Any,
        Expr::Not(of) => Expr::Not(inner(of)),
        Expr::Binary(operator, a, b) => Expr::Binary(*operator, inner(a), inner(b)),
        Expr::Var(_) | Expr::Const(_) | Expr::Local(_) | Expr::Any => expr.clone(),
    }
}

pub(crate) fn has_var(expr: &Expr) -> bool {
    match expr {
        Expr::Var(_) => true,
        Expr::Const(_) | Expr::Local(_) | Expr::Any => false,
        Expr::Not(inner) => has_var(inner),
        Expr::Binary(_, a, b) => has_var(a) || has_var(b),
    }
}

pub(crate) fn vars_in(expr: &Expr, out: &mut BTreeSet<VarId>) {
    match expr {
        Expr::Var(var) => {
            out.insert(*var);
        }
        Expr::Not(inner) => vars_in(inner, out),
        Expr::Binary(_, a, b) => {
            vars_in(a, out);
            vars_in(b, out);
        }
        Expr::Const(_) | Expr::Local(_) | Expr::Any => {}
    }
}

pub(crate) fn locals_in(expr: &Expr, out: &mut BTreeSet<LocalId>) {
    match expr {
        Expr::Local(local) => {
            out.insert(*local);
        }
        Expr::Const(_) | Expr::Var(_) | Expr::Any => {}
        Expr::Not(inner) => locals_in(inner, out),
        Expr::Binary(_, a, b) => {
            locals_in(a, out);
            locals_in(b, out);
        }
    }
}
