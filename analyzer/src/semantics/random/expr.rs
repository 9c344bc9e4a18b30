//! Random expressions.

use super::{Body, COUNT, FLAG, Random, TEXT};
use crate::ir::*;

impl Random<'_> {
    pub(super) fn condition(&mut self, body: &Body) -> Expr {
        match self.pick(10) {
            0 | 1 => Expr::Any,
            2 => Expr::Var(FLAG),
            3 => not(Expr::Var(FLAG)),
            4 => binary(BinOp::Eq, self.number(body), int(1)),
            5 => binary(BinOp::Lt, self.number(body), int(1)),
            6 => binary(BinOp::And, Expr::Var(FLAG), binary(BinOp::Eq, Expr::Var(COUNT), int(0))),
            7 => binary(BinOp::Or, Expr::Any, Expr::Var(FLAG)),
            8 => match body.flags.last() {
                Some(&t) => not(Expr::Local(t)),
                None => binary(BinOp::Eq, Expr::Var(TEXT), constant(true)),
            },
            _ => match body.flags.last() {
                Some(&t) => Expr::Local(t),
                None => Expr::Var(FLAG),
            },
        }
    }

    pub(super) fn number(&mut self, body: &Body) -> Expr {
        match (self.pick(6), body.numbers.last()) {
            (0, _) => int(1),
            (1, _) => Expr::Var(COUNT),
            (2, Some(&t)) => Expr::Local(t),
            (3, Some(&t)) => binary(BinOp::Sub, Expr::Var(COUNT), Expr::Local(t)),
            (4, _) => Expr::Any,
            _ => binary(BinOp::Add, Expr::Var(COUNT), int(1)),
        }
    }
}

pub(super) fn int(value: i32) -> Expr {
    Expr::Const(Value::Int(value))
}

pub(super) fn constant(value: bool) -> Expr {
    Expr::Const(Value::Bool(value))
}

pub(super) fn not(e: Expr) -> Expr {
    Expr::Not(e.into())
}

pub(super) fn binary(op: BinOp, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, a.into(), b.into())
}
