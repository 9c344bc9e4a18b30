//! Small constructors for generated code.

use super::GENERATED;
use crate::ir::*;

pub(super) fn stmt(kind: StmtKind) -> Stmt {
    Stmt { label: GENERATED, place: None, basis: None, kind }
}

/// A generated statement that belongs to an original one.
pub(super) fn stmt_of(origin: &Stmt, kind: StmtKind) -> Stmt {
    Stmt { label: origin.label, place: origin.place, basis: origin.basis, kind }
}

pub(super) fn constant(value: bool) -> Expr {
    Expr::Const(Value::Bool(value))
}

pub(super) fn number(value: usize) -> Expr {
    Expr::Const(Value::Int(value as i128))
}

pub(super) fn not(e: Expr) -> Expr {
    match e {
        Expr::Const(Value::Bool(b)) => constant(!b),
        Expr::Not(e) => *e,
        e => Expr::Not(e.into()),
    }
}

pub(super) fn and(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinOp::And, a.into(), b.into())
}

pub(super) fn or(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinOp::Or, a.into(), b.into())
}

pub(super) fn equal(a: Expr, b: Expr) -> Expr {
    Expr::Binary(BinOp::Eq, a.into(), b.into())
}

/// The disjunction; `None` when there is nothing to choose from.
pub(super) fn any_of(parts: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    parts.into_iter().reduce(or)
}

pub(super) fn var(x: VarId) -> Expr {
    Expr::Var(x)
}

pub(super) fn set(x: VarId, e: Expr) -> Stmt {
    stmt(StmtKind::SetVar(x, e))
}

pub(super) fn set_local(t: LocalId, e: Expr) -> Stmt {
    stmt(StmtKind::SetLocal(t, e))
}

pub(super) fn assume(e: Expr) -> Stmt {
    stmt(StmtKind::Assume(e))
}

pub(super) fn when(e: Expr, yes: Block) -> Stmt {
    stmt(StmtKind::If(e, yes, Vec::new()))
}

pub(super) fn either(yes: Block, no: Block) -> Stmt {
    stmt(StmtKind::If(Expr::Any, yes, no))
}

pub(super) fn call(proc: ProcId) -> Stmt {
    stmt(StmtKind::Call { proc, args: Vec::new(), result: None })
}
