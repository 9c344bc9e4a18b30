//! What an event takes back in any case: whatever it sees in between decides where that is done, and not whether.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::MAX_CALLS;
use crate::finding::violation::{Held, Violation};
use crate::ir::*;

/// So many states are followed before it counts as not known.
const STATES: usize = 4_000;

impl Violation<'_> {
    /// Whether a change takes back by how much its event has changed a number, as it does on each way through its task: a value that is dropped
    /// on all of them gives back what it was made with. Not so if somebody puts in what was looked for, and then looks who is
    /// there: that is left to whoever is about to go.
    pub(in crate::finding) fn is_paid_back(&self, (first, last): (&Held, &Held), change: BasisId) -> bool {
        let Some(basis) = self.program.bases.get(change.index()).filter(|basis| basis.by.is_some()) else {
            return false;
        };
        let is_done = |held: &Held| {
            held.task == last.task && held.basis.is_some_and(|held| basis.undoes.contains(&held))
        };
        let mut put =
            self.by_others(last).filter(|held| !held.reads() && held.access.var == first.access.var);
        let leaves_it = put.any(|put| {
            self.after(put).any(|look| {
                look.instance == put.instance && look.reads() && look.access.var == last.access.var
            })
        });
        let mut ways = Ways { program: self.program, basis, left: STATES };
        let task = self.trace.tasks[last.task].proc;
        !leaves_it
            && first.access.var != last.access.var
            && self.before(last).any(is_done)
            && ways.proc(task, Vec::new(), 0).is_some_and(|ends| ends.iter().all(|(_, owed)| *owed == 0))
    }
}

/// What is known of the locals of a call, and how often the one has been done more than the other.
type State = (BTreeMap<LocalId, Value>, i32);

/// A walk on all ways through the text of a task, as far as locals say which these are.
struct Ways<'p> {
    program: &'p Program,
    /// What takes something back.
    basis: &'p Basis,
    left: usize,
}

/// Where a block is left.
#[derive(Default)]
struct Left {
    /// Behind it.
    behind: BTreeSet<State>,
    /// With a result, if that is known.
    returned: BTreeSet<(Option<Value>, i32)>,
}

impl Ways<'_> {
    /// The results of a call, and what is owed then.
    fn proc(
        &mut self,
        proc: ProcId,
        args: Vec<Option<Value>>,
        depth: u32,
    ) -> Option<BTreeSet<(Option<Value>, i32)>> {
        if depth >= MAX_CALLS {
            return None;
        }
        let given = args.into_iter().enumerate();
        let locals = given.filter_map(|(number, value)| Some((LocalId(number as u32), value?))).collect();
        let program = self.program;
        let left = self.block(&program.proc(proc).body, BTreeSet::from([(locals, 0)]), depth)?;
        let fallen = left.behind.into_iter().map(|(_, owed)| (None, owed));
        Some(left.returned.into_iter().chain(fallen).collect())
    }

    fn block(&mut self, block: &Block, states: BTreeSet<State>, depth: u32) -> Option<Left> {
        let mut left = Left { behind: states, ..Left::default() };
        for stmt in block {
            let states = std::mem::take(&mut left.behind);
            self.left = self.left.checked_sub(states.len())?;
            for state in states {
                let then = self.statement(stmt, state, depth)?;
                left.behind.extend(then.behind);
                left.returned.extend(then.returned);
            }
        }
        Some(left)
    }

    fn statement(&mut self, stmt: &Stmt, (mut locals, mut owed): State, depth: u32) -> Option<Left> {
        let mut left = Left::default();
        owed += self.counted(stmt);
        match &stmt.kind {
            StmtKind::SetLocal(local, value) => {
                match evaluate(&locals, value) {
                    Some(value) => _ = locals.insert(*local, value),
                    None => _ = locals.remove(local),
                }
                left.behind.insert((locals, owed));
            }
            StmtKind::Assume(value) => {
                left.behind.extend(assumed(&locals, value, true).map(|locals| (locals, owed)))
            }
            StmtKind::If(value, yes, no) => {
                for (block, wanted) in [(yes, true), (no, false)] {
                    let states =
                        assumed(&locals, value, wanted).map(|locals| (locals, owed)).into_iter().collect();
                    let then = self.block(block, states, depth)?;
                    left.behind.extend(then.behind);
                    left.returned.extend(then.returned);
                }
            }
            StmtKind::While(value, body) => return self.rounds(value, body, (locals, owed), depth),
            StmtKind::Loop(_, body) => return self.rounds(&Expr::Any, body, (locals, owed), depth),
            StmtKind::Call { proc, args, result } => {
                let args = args.iter().map(|arg| evaluate(&locals, arg)).collect();
                for (value, more) in self.proc(*proc, args, depth + 1)? {
                    let mut locals = locals.clone();
                    match (result, value) {
                        (Some(result), Some(value)) => _ = locals.insert(*result, value),
                        (Some(result), None) => _ = locals.remove(result),
                        (None, _) => {}
                    }
                    left.behind.insert((locals, owed + more));
                }
            }
            StmtKind::Return(value) => {
                let value = value.as_ref().and_then(|value| evaluate(&locals, value));
                left.returned.insert((value, owed));
            }
            StmtKind::Async { handle, .. } => {
                handle.map(|handle| locals.remove(&handle));
                left.behind.insert((locals, owed));
            }
            StmtKind::Defer { .. } | StmtKind::Force(_) | StmtKind::RunDeferred => return None,
            _ => _ = left.behind.insert((locals, owed)),
        }
        Some(left)
    }

    /// All rounds of a loop, each of which owes as much behind it as before.
    fn rounds(&mut self, value: &Expr, body: &Block, first: State, depth: u32) -> Option<Left> {
        let mut left = Left::default();
        let owed = first.1;
        let mut open = vec![first];
        let mut seen = BTreeSet::new();
        while let Some((locals, owes)) = open.pop() {
            if owes != owed {
                return None;
            }
            if !seen.insert(locals.clone()) {
                continue;
            }
            left.behind.extend(assumed(&locals, value, false).map(|locals| (locals, owes)));
            let states = assumed(&locals, value, true).map(|locals| (locals, owes)).into_iter().collect();
            let then = self.block(body, states, depth)?;
            open.extend(then.behind);
            left.returned.extend(then.returned);
        }
        Some(left)
    }

    /// What a statement adds to what is owed.
    fn counted(&self, stmt: &Stmt) -> i32 {
        let of = |id: BasisId| self.program.bases.get(id.index());
        match stmt.basis {
            Some(id) if self.basis.undoes.contains(&id) => 1,
            Some(id)
                if of(id)
                    .is_some_and(|other| other.by == self.basis.by && other.undoes == self.basis.undoes) =>
            {
                -1
            }
            _ => 0,
        }
    }
}

/// What is known of the locals where an expression has this value; `None` where it cannot have it.
fn assumed(
    locals: &BTreeMap<LocalId, Value>,
    value: &Expr,
    wanted: bool,
) -> Option<BTreeMap<LocalId, Value>> {
    match (value, evaluate(locals, value)) {
        (_, Some(known)) => (known == Value::Bool(wanted)).then(|| locals.clone()),
        (Expr::Not(inner), None) => assumed(locals, inner, !wanted),
        (Expr::Local(local), None) => {
            let mut locals = locals.clone();
            locals.insert(*local, Value::Bool(wanted));
            Some(locals)
        }
        _ => Some(locals.clone()),
    }
}

/// The value of an expression, as far as locals say it.
fn evaluate(locals: &BTreeMap<LocalId, Value>, value: &Expr) -> Option<Value> {
    match value {
        Expr::Const(value) => Some(*value),
        Expr::Local(local) => locals.get(local).copied(),
        Expr::Var(_) | Expr::Any => None,
        Expr::Not(inner) => match evaluate(locals, inner)? {
            Value::Bool(value) => Some(Value::Bool(!value)),
            Value::Int(_) => None,
        },
        Expr::Binary(op, a, b) => match (op, evaluate(locals, a), evaluate(locals, b)) {
            (BinOp::Eq, Some(a), Some(b)) => Some(Value::Bool(a == b)),
            (BinOp::And, Some(Value::Bool(a)), Some(Value::Bool(b))) => Some(Value::Bool(a && b)),
            (BinOp::And, Some(Value::Bool(false)), _) | (BinOp::And, _, Some(Value::Bool(false))) => {
                Some(Value::Bool(false))
            }
            (BinOp::Or, Some(Value::Bool(a)), Some(Value::Bool(b))) => Some(Value::Bool(a || b)),
            (BinOp::Or, Some(Value::Bool(true)), _) | (BinOp::Or, _, Some(Value::Bool(true))) => {
                Some(Value::Bool(true))
            }
            (BinOp::Lt, Some(Value::Int(a)), Some(Value::Int(b))) => Some(Value::Bool(a < b)),
            _ => None,
        },
    }
}
