//! Expressions, loosest binding first.

use super::super::lexer::Token;
use super::{Parser, Result};
use crate::ir::*;

/// Operators of one level in a row: the tree is as deep as the row is long.
const OPERATORS: u32 = 4000;
/// Operators in each other, rows in rows included. What works on expressions is recursive.
const HEIGHT: u32 = 4100;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Result<Expr> {
        self.left_associative(&[("||", BinOp::Or)], |p| {
            p.left_associative(&[("&&", BinOp::And)], Self::comparison)
        })
    }

    fn comparison(&mut self) -> Result<Expr> {
        let a = self.sum()?;
        for (sign, op) in [("==", BinOp::Eq), ("<", BinOp::Lt)] {
            if self.eat(sign) {
                let left = self.height;
                let b = self.sum()?;
                self.above(left)?;
                return Ok(Expr::Binary(op, a.into(), b.into()));
            }
        }
        Ok(a)
    }

    fn sum(&mut self) -> Result<Expr> {
        self.left_associative(&[("+", BinOp::Add), ("-", BinOp::Sub)], Self::unary)
    }

    fn left_associative(
        &mut self,
        ops: &[(&str, BinOp)],
        mut part: impl FnMut(&mut Self) -> Result<Expr>,
    ) -> Result<Expr> {
        let mut a = part(self)?;
        let mut operators = 0;
        while let Some((_, op)) = ops.iter().find(|(sign, _)| self.eat(sign)) {
            operators += 1;
            if operators > OPERATORS {
                return self.fail(format!("more than {OPERATORS} operators in a row"));
            }
            let left = self.height;
            let b = part(self)?;
            self.above(left)?;
            a = Expr::Binary(*op, a.into(), b.into());
        }
        Ok(a)
    }

    /// An operator stands above what was read last and something as high as `other`.
    fn above(&mut self, other: u32) -> Result<()> {
        self.height = self.height.max(other) + 1;
        if self.height > HEIGHT {
            return self.fail(format!("nested more than {HEIGHT} operators deep"));
        }
        Ok(())
    }

    fn unary(&mut self) -> Result<Expr> {
        if self.eat("!") {
            let e = self.nested(Self::unary)?;
            self.above(0)?;
            return Ok(Expr::Not(e.into()));
        }
        if self.eat("(") {
            let e = self.nested(Self::expr)?;
            self.expect(")")?;
            return Ok(e);
        }
        self.height = 0;
        if self.eat("*") {
            return Ok(Expr::Any);
        }
        match self.peek().clone() {
            Token::Word(word @ ("true" | "false")) => {
                self.at += 1;
                Ok(Expr::Const(Value::Bool(word == "true")))
            }
            Token::Number(_) | Token::Sign("-") => Ok(Expr::Const(Value::Int(self.number()?))),
            Token::Name(name) => match self.shared(&name) {
                Some(x) => {
                    self.at += 1;
                    Ok(Expr::Var(x))
                }
                None => Ok(Expr::Local(self.known_local()?)),
            },
            _ => self.wrong("an expression"),
        }
    }
}
