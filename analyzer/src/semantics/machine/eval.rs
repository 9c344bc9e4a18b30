//! The values of expressions; several where a value is chosen.

use super::*;

impl Machine {
    pub(super) fn type_of(&self, state: &State, task: TaskId, local: LocalId) -> Type {
        let proc = state.tasks[task].frames.last().map_or(0, |f| f.proc as usize);
        self.types.locals[proc][local.index()]
    }

    /// Every value of a type.
    pub(super) fn any(&self, ty: Type) -> Vec<Cell> {
        match ty {
            Type::Bool => vec![0, 1],
            Type::Int => (self.types.any_int.0..=self.types.any_int.1).collect(),
            Type::Handle => vec![0],
        }
    }

    pub(super) fn eval_all(&self, args: &[Expr], locals: &[Cell], proc: ProcId) -> Vec<Vec<Cell>> {
        let mut all = vec![Vec::new()];
        for (i, arg) in args.iter().enumerate() {
            let values = self.eval(arg, locals, self.types.locals[proc.index()][i]);
            all = all.iter().flat_map(|some| values.iter().map(|&v| [&some[..], &[v]].concat())).collect();
        }
        all
    }

    /// Every value that an expression over locals can have; `ty` is what the context asks for.
    pub(super) fn eval(&self, e: &Expr, locals: &[Cell], ty: Type) -> Vec<Cell> {
        let mut values = match e {
            Expr::Const(Value::Bool(b)) => vec![*b as Cell],
            Expr::Const(Value::Int(i)) => vec![*i],
            Expr::Local(t) => vec![locals[t.index()]],
            Expr::Any => self.any(ty),
            Expr::Var(_) => unreachable!("flattened"),
            Expr::Not(a) => self.eval(a, locals, Type::Bool).into_iter().map(|v| 1 - v).collect(),
            // Every type has two values or more, so a comparison with any value can come out either way.
            Expr::Binary(BinOp::Eq, a, b) if **a == Expr::Any || **b == Expr::Any => vec![0, 1],
            Expr::Binary(op, a, b) => {
                let ty = match op {
                    BinOp::And | BinOp::Or => Type::Bool,
                    BinOp::Eq | BinOp::Lt | BinOp::Add | BinOp::Sub => Type::Int,
                };
                let (xs, ys) = (self.eval(a, locals, ty), self.eval(b, locals, ty));
                xs.iter().flat_map(|&x| ys.iter().map(move |&y| self.apply(*op, x, y))).collect()
            }
        };
        values.sort_unstable();
        values.dedup();
        values
    }

    pub(super) fn apply(&self, op: BinOp, x: Cell, y: Cell) -> Cell {
        match op {
            BinOp::And => x & y,
            BinOp::Or => x | y,
            BinOp::Eq => (x == y) as Cell,
            BinOp::Lt => (x < y) as Cell,
            BinOp::Add => self.types.wrap(x as i64 + y as i64),
            BinOp::Sub => self.types.wrap(x as i64 - y as i64),
        }
    }
}

/// The type that a variable's values have.
pub(super) fn hint(domain: Option<Domain>) -> Type {
    match domain {
        Some(Domain::Int { .. }) => Type::Int,
        _ => Type::Bool,
    }
}

/// A value as a variable keeps it: wrapped around within the range; nothing when untracked.
pub(crate) fn store(domain: Option<Domain>, value: i32) -> i32 {
    match domain {
        Some(Domain::Int { lo, hi }) => {
            let size = hi as i64 - lo as i64 + 1;
            (lo as i64 + (value as i64 - lo as i64).rem_euclid(size)) as i32
        }
        Some(Domain::Bool) => value,
        None => 0,
    }
}
