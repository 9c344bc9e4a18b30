//! Random expressions.

use super::{Body, COUNT, FLAG, Random, TEXT};
use crate::ir::*;

impl Random<'_> {
    pub(super) fn condition(&mut self, body: &Body) -> Expr {
        let choice = match (self.pick(10), self.wide) {
            // What happens in programs with wide integers is up to these.
            (0..3, Some(_)) => 4,
            (3..6, Some(_)) => 5,
            (choice, _) => choice,
        };
        match choice {
            0 | 1 => Expr::Any,
            2 => Expr::Var(FLAG),
            3 => not(Expr::Var(FLAG)),
            4 => binary(BinOp::Eq, self.number(body), self.int(1)),
            5 => binary(BinOp::Lt, self.number(body), self.int(1)),
            6 => binary(BinOp::And, Expr::Var(FLAG), binary(BinOp::Eq, Expr::Var(COUNT), self.int(0))),
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
            (0, _) => self.int(1),
            (1, _) => Expr::Var(COUNT),
            (2, Some(&t)) => Expr::Local(t),
            (3, Some(&t)) => binary(BinOp::Sub, Expr::Var(COUNT), Expr::Local(t)),
            (4, _) => Expr::Any,
            _ => binary(BinOp::Add, Expr::Var(COUNT), self.int(1)),
        }
    }

    /// A constant: the given one, or in some programs a wide one.
    fn int(&mut self, usual: i128) -> Expr {
        let Some(Wide { lo, hi, other, .. }) = self.wide else { return int(usual) };
        int([usual, hi, other, lo][self.pick(4) as usize])
    }

    /// A range with an end near a power of two, what a variable of it starts with, and an integer near another power.
    pub(super) fn wide(&mut self) -> Wide {
        let end = self.near();
        let (lo, hi) = match self.pick(4) {
            0 | 1 => (0, end),
            2 => (-end - 1, end),
            _ => (-end, 1),
        };
        let other = self.near();
        let other = if self.pick(3) == 2 { -other } else { other };
        let lo = lo.max(*INTEGERS.start());
        let first = [hi, lo, 0, hi - 1][self.pick(4) as usize];
        Wide { lo, hi, first, other: other.max(*INTEGERS.start()) }
    }

    /// An integer near a power of two.
    fn near(&mut self) -> i128 {
        let power = [4, 7, 8, 15, 16, 31, 32, 62, 63, 64][self.pick(10) as usize];
        ((1_i128 << power) - 1 + i128::from(self.pick(3))).min(*INTEGERS.end())
    }
}

/// Integers beyond the small ones.
#[derive(Clone, Copy)]
pub(super) struct Wide {
    pub lo: i128,
    pub hi: i128,
    pub first: i128,
    pub other: i128,
}

pub(super) fn int(value: i128) -> Expr {
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
