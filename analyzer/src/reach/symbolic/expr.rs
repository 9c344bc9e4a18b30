//! The values of expressions.

use super::*;

impl Exec<'_> {
    pub(super) fn args(&mut self, proc: ProcId, args: &[Expr], scope: Scope) -> Vec<Val> {
        let types = &self.types.locals[proc.index()];
        args.iter().zip(types).map(|(e, ty)| self.eval(e, scope, *ty)).collect()
    }

    pub(super) fn condition(&mut self, e: &Expr, scope: Scope) -> Lit {
        match self.eval(e, scope, Type::Bool) {
            Val::Bool(l) => l,
            _ => unreachable!("validated: conditions are Boolean"),
        }
    }

    /// Any value of a type.
    pub(super) fn any(&mut self, ty: Type) -> Val {
        match ty {
            Type::Bool => Val::Bool(self.circuit.input()),
            Type::Int => {
                let (lo, hi) = self.types.any_int;
                self.any_of(Domain::Int { lo, hi })
            }
            Type::Handle => Val::Handle(Vec::new()),
        }
    }

    pub(super) fn any_of(&mut self, domain: Domain) -> Val {
        match domain {
            Domain::Bool | Domain::Presence => Val::Bool(self.circuit.input()),
            Domain::Int { lo, hi } | Domain::Variant { lo, hi } => {
                let (free, is_within) = self.circuit.free_number(lo, hi);
                self.restrictions = self.circuit.and(self.restrictions, is_within);
                self.chosen.push((self.path, free.clone()));
                Val::Int(free)
            }
        }
    }

    pub(super) fn eval(&mut self, e: &Expr, scope: Scope, ty: Type) -> Val {
        match e {
            Expr::Const(Value::Bool(b)) => Val::Bool(Lit::constant(*b)),
            Expr::Const(Value::Int(i)) => Val::Int(self.circuit.number(*i)),
            Expr::Local(t) => self.cells[scope.first + t.index()].clone(),
            Expr::Var(x) if self.program.vars[x.index()].domain.is_none() => self.any(ty),
            Expr::Var(x) => self.cells[1 + x.index()].clone(),
            Expr::Any => self.any(ty),
            Expr::Not(a) => Val::Bool(!self.condition(a, scope)),
            Expr::Binary(BinOp::And, a, b) => {
                let (a, b) = (self.condition(a, scope), self.condition(b, scope));
                Val::Bool(self.circuit.and(a, b))
            }
            Expr::Binary(BinOp::Or, a, b) => {
                let (a, b) = (self.condition(a, scope), self.condition(b, scope));
                Val::Bool(self.circuit.or(a, b))
            }
            // Every type has two values or more, so a comparison with any value can come out either way.
            Expr::Binary(BinOp::Eq, a, b) if **a == Expr::Any || **b == Expr::Any => {
                Val::Bool(self.circuit.input())
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.eval(a, scope, Type::Int), self.eval(b, scope, Type::Int));
                match (op, a, b) {
                    (BinOp::Eq, Val::Bool(a), Val::Bool(b)) => Val::Bool(self.circuit.equal(a, b)),
                    (BinOp::Eq, Val::Int(a), Val::Int(b)) => Val::Bool(self.circuit.same(&a, &b)),
                    (BinOp::Lt, Val::Int(a), Val::Int(b)) => Val::Bool(self.circuit.less(&a, &b)),
                    (BinOp::Add, Val::Int(a), Val::Int(b)) => Val::Int(self.circuit.add(&a, &b)),
                    (BinOp::Sub, Val::Int(a), Val::Int(b)) => Val::Int(self.circuit.subtract(&a, &b)),
                    _ => unreachable!("validated: operands have the operator's type"),
                }
            }
        }
    }
}
