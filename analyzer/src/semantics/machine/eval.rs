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
            Type::Int => self.tried.clone(),
            Type::Handle => vec![0],
        }
    }

    /// Integers of a range: all, or those that are tried; at least one.
    pub(super) fn any_of(&self, lo: Cell, hi: Cell) -> Vec<Cell> {
        if hi - lo < RANGE {
            return (lo..=hi).collect();
        }
        let tried: Vec<Cell> = self.tried.iter().copied().filter(|i| (lo..=hi).contains(i)).collect();
        if tried.is_empty() { vec![lo] } else { tried }
    }

    /// Whether there is a choice between more integers than are tried.
    pub(super) fn chooses_integers(&self) -> bool {
        let types = self.types.locals.iter().zip(&self.types.results);
        self.code.iter().zip(types).any(|(code, (locals, result))| {
            let ty = |t: &LocalId| locals[t.index()];
            let param = |proc: &ProcId, i: usize| self.types.locals[proc.index()][i];
            let domain = |x: &VarId| self.program.vars[x.index()].domain;
            code.ops.iter().any(|(op, _)| match op {
                Op::Read(x, Some(t)) => domain(x).is_none() && ty(t) == Type::Int,
                Op::Write(x) | Op::Update(x, _) => {
                    matches!(domain(x), Some(Domain::Int { lo, hi }) if hi - lo >= RANGE)
                }
                Op::Set(x, e) => chooses(e, hint(domain(x))),
                Op::SetLocal(t, e) => chooses(e, ty(t)),
                Op::Assume(e) | Op::Unless(e, _) => chooses(e, Type::Bool),
                Op::Async(proc, args, _) | Op::Call(proc, args, _) => {
                    args.iter().enumerate().any(|(i, e)| chooses(e, param(proc, i)))
                }
                Op::Return(Some(e)) => chooses(e, *result),
                // Nothing returned where an integer is asked for.
                Op::Return(None) => *result == Type::Int,
                _ => false,
            })
        })
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
                let ty = operands(*op);
                let (xs, ys) = (self.eval(a, locals, ty), self.eval(b, locals, ty));
                xs.iter().flat_map(|&x| ys.iter().map(move |&y| op.apply(x, y))).collect()
            }
        };
        values.sort_unstable();
        values.dedup();
        values
    }
}

/// Whether an expression has an integer `*` in it, as [`Machine::eval`] comes across it; `ty` is what the context asks for.
fn chooses(e: &Expr, ty: Type) -> bool {
    match e {
        Expr::Any => ty == Type::Int,
        Expr::Const(_) | Expr::Local(_) | Expr::Var(_) => false,
        Expr::Not(a) => chooses(a, Type::Bool),
        Expr::Binary(BinOp::Eq, a, b) if **a == Expr::Any || **b == Expr::Any => false,
        Expr::Binary(op, a, b) => {
            let ty = operands(*op);
            chooses(a, ty) || chooses(b, ty)
        }
    }
}

/// What an operator asks for.
fn operands(op: BinOp) -> Type {
    match op {
        BinOp::And | BinOp::Or => Type::Bool,
        BinOp::Eq | BinOp::Lt | BinOp::Add | BinOp::Sub => Type::Int,
    }
}

/// The type that a variable's values have.
pub(super) fn hint(domain: Option<Domain>) -> Type {
    match domain {
        Some(Domain::Int { .. } | Domain::Variant { .. }) => Type::Int,
        _ => Type::Bool,
    }
}

/// A value as a variable keeps it: wrapped around within the range; nothing when untracked.
pub(crate) fn store(domain: Option<Domain>, value: i128) -> i128 {
    match domain {
        Some(Domain::Int { lo, hi } | Domain::Variant { lo, hi }) => wrap_into(value, lo, hi),
        Some(Domain::Bool | Domain::Presence) => value,
        None => 0,
    }
}
