//! Ways through statements on which nothing is done that others can see, and what the locals hold behind them.
//!
//! Each way is one that the program has; not all that it has are found: what depends on what a caller passes, or on what a local held
//! before, is not followed, nor are more than a few ways.

use std::collections::{HashMap, HashSet};

use crate::ir::{BinOp, Block, Expr, LocalId, ProcId, Program, Stmt, StmtKind, Type, Types, Value};

/// So many ways are followed at once.
const WAYS: usize = 12;
/// So many rounds of a loop.
const ROUNDS: u32 = 3;
/// So many statements in all.
const STEPS: u32 = 60_000;
/// So deep in calls.
const DEPTH: usize = 24;

/// What a local holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Held {
    /// What it held before.
    Before,
    /// Nobody knows what.
    Unknown,
    /// This.
    Known(i128),
    /// Any integer, and nothing has gone by it.
    Any,
}

/// Where a way ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Behind the statements, with this in the locals.
    Behind(Vec<Held>),
    /// Where the procedure returns, with this if it returns something.
    Returned(Option<Held>),
}

/// What a procedure returns at the ends of its ways.
type Results = Vec<Option<Held>>;

/// Finds ways.
pub(super) struct Ways<'p> {
    program: &'p Program,
    types: &'p Types,
    /// By procedure and what is known of its arguments.
    known: HashMap<(ProcId, Vec<Held>), Results>,
    under_way: HashSet<(ProcId, Vec<Held>)>,
    left: u32,
}

/// The ways through a part of one procedure, as far as they were followed.
struct Followed {
    proc: ProcId,
    results: Results,
}

impl<'p> Ways<'p> {
    pub fn new(program: &'p Program, types: &'p Types) -> Ways<'p> {
        Ways { program, types, known: HashMap::new(), under_way: HashSet::new(), left: STEPS }
    }

    /// The ends of the ways through a statement, whatever the locals of the procedure hold before it.
    pub fn through(&mut self, proc: ProcId, stmt: &Stmt) -> Vec<End> {
        let before = vec![Held::Before; self.program.proc(proc).locals.len()];
        let mut followed = Followed { proc, results: Vec::new() };
        let behind = self.stmt(&mut followed, stmt, vec![before]);
        let returned = followed.results.into_iter().map(End::Returned);
        behind.into_iter().map(End::Behind).chain(returned).collect()
    }

    /// What a procedure returns at the ends of the ways through it.
    fn results(&mut self, proc: ProcId, args: Vec<Held>) -> Results {
        let key = (proc, args);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        if self.under_way.len() >= DEPTH || !self.under_way.insert(key.clone()) {
            return Vec::new();
        }
        let body = self.program.proc(proc);
        let mut locals = key.1.clone();
        locals.resize(body.locals.len(), Held::Unknown);
        let mut followed = Followed { proc, results: Vec::new() };
        let behind = self.block(&mut followed, &body.body, vec![locals]);
        let mut results = followed.results;
        if !behind.is_empty() {
            results.push(None);
        }
        some_of(&mut results);
        self.under_way.remove(&key);
        self.known.insert(key, results.clone());
        results
    }

    fn block(&mut self, followed: &mut Followed, block: &Block, mut ways: Vec<Vec<Held>>) -> Vec<Vec<Held>> {
        for stmt in block {
            if ways.is_empty() {
                break;
            }
            ways = self.stmt(followed, stmt, ways);
        }
        ways
    }

    fn stmt(&mut self, followed: &mut Followed, stmt: &Stmt, ways: Vec<Vec<Held>>) -> Vec<Vec<Held>> {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 {
            return Vec::new();
        }
        let mut behind = match &stmt.kind {
            StmtKind::SetLocal(local, value) => {
                let ty = self.type_of(followed.proc, *local);
                each(
                    ways,
                    |way| values(value, ty, way),
                    |mut way, value| {
                        way[local.index()] = value;
                        way
                    },
                )
            }
            StmtKind::Assume(condition) => self.where_it_is(condition, ways, 1),
            StmtKind::If(condition, yes, no) => {
                let (then, otherwise) =
                    (self.where_it_is(condition, ways.clone(), 1), self.where_it_is(condition, ways, 0));
                let mut behind = self.block(followed, yes, then);
                behind.extend(self.block(followed, no, otherwise));
                behind
            }
            StmtKind::While(condition, body) => {
                let (mut behind, mut round) = (Vec::new(), ways);
                for _ in 0..=ROUNDS {
                    behind.extend(self.where_it_is(condition, round.clone(), 0));
                    let again = self.where_it_is(condition, round, 1);
                    round = self.block(followed, body, again);
                }
                behind
            }
            StmtKind::Loop(times, body) if *times <= ROUNDS => {
                (0..*times).fold(ways, |ways, _| self.block(followed, body, ways))
            }
            StmtKind::Return(value) => {
                let ty = self.types.results[followed.proc.index()];
                for way in ways {
                    match value {
                        Some(value) => {
                            let found = values(value, ty, &way).into_iter();
                            followed.results.extend(found.map(|(_, value)| Some(value)));
                        }
                        None => followed.results.push(None),
                    }
                }
                some_of(&mut followed.results);
                Vec::new()
            }
            StmtKind::Call { proc, args, result } => self.call(ways, *proc, args, *result),
            _ => Vec::new(),
        };
        some_of(&mut behind);
        behind
    }

    fn call(
        &mut self,
        ways: Vec<Vec<Held>>,
        proc: ProcId,
        args: &[Expr],
        result: Option<LocalId>,
    ) -> Vec<Vec<Held>> {
        let mut behind = Vec::new();
        for way in ways {
            let arg = |(number, arg): (usize, &Expr)| {
                let ty = self.type_of(proc, LocalId(number as u32));
                match values(arg, ty, &way).as_slice() {
                    [(same, only @ Held::Known(_))] if *same == way => *only,
                    _ => Held::Unknown,
                }
            };
            let args = args.iter().enumerate().map(arg).collect();
            for returned in self.results(proc, args) {
                let mut way = way.clone();
                if let Some(local) = result {
                    way[local.index()] = returned.unwrap_or(Held::Unknown);
                }
                behind.push(way);
            }
        }
        behind
    }

    /// The ways on which a condition has this value.
    fn where_it_is(&self, condition: &Expr, ways: Vec<Vec<Held>>, wanted: i128) -> Vec<Vec<Held>> {
        let is_wanted = |(way, value): (Vec<Held>, Held)| (value == Held::Known(wanted)).then_some(way);
        ways.iter().flat_map(|way| values(condition, Type::Bool, way)).filter_map(is_wanted).collect()
    }

    fn type_of(&self, proc: ProcId, local: LocalId) -> Type {
        self.types.locals[proc.index()].get(local.index()).copied().unwrap_or(Type::Bool)
    }

    /// The value that stands for what a local holds, if there is one.
    pub fn value(&self, proc: ProcId, local: LocalId, held: Held) -> Option<Expr> {
        value(self.type_of(proc, local), held)
    }

    /// The same of what a procedure returns.
    pub fn result(&self, proc: ProcId, held: Held) -> Option<Expr> {
        value(self.types.results[proc.index()], held)
    }
}

fn value(ty: Type, held: Held) -> Option<Expr> {
    match (held, ty) {
        (Held::Known(value), Type::Bool) => Some(Expr::Const(Value::Bool(value != 0))),
        (Held::Known(value), Type::Int) => Some(Expr::Const(Value::Int(value))),
        (Held::Any, Type::Int) => Some(Expr::Any),
        _ => None,
    }
}

/// Each way, once for each value that is found on it.
fn each<V>(
    ways: Vec<Vec<Held>>,
    found: impl Fn(&[Held]) -> Vec<(Vec<Held>, V)>,
    then: impl Fn(Vec<Held>, V) -> Vec<Held>,
) -> Vec<Vec<Held>> {
    ways.iter().flat_map(|way| found(way)).map(|(way, value)| then(way, value)).collect()
}

/// The first few that are not the same.
fn some_of<T: PartialEq>(all: &mut Vec<T>) {
    let mut kept: Vec<T> = Vec::new();
    for one in all.drain(..) {
        if kept.len() < WAYS && !kept.contains(&one) {
            kept.push(one);
        }
    }
    *all = kept;
}

/// The values that an expression can have on a way, with what the locals hold when it has that one. None where it reads a variable.
fn values(expr: &Expr, ty: Type, way: &[Held]) -> Vec<(Vec<Held>, Held)> {
    let one = |value| vec![(way.to_vec(), value)];
    match expr {
        Expr::Const(Value::Bool(value)) => one(Held::Known(i128::from(*value))),
        Expr::Const(Value::Int(value)) => one(Held::Known(*value)),
        Expr::Any => match ty {
            Type::Bool => [1, 0].map(|value| (way.to_vec(), Held::Known(value))).into(),
            Type::Int => one(Held::Any),
            Type::Handle => one(Held::Unknown),
        },
        Expr::Local(local) => match way[local.index()] {
            // Two that hold the same: it is zero.
            Held::Any => {
                let mut way = way.to_vec();
                way[local.index()] = Held::Known(0);
                vec![(way, Held::Known(0))]
            }
            Held::Before => one(Held::Unknown),
            held => one(held),
        },
        Expr::Var(_) => Vec::new(),
        Expr::Not(inner) => {
            values(inner, Type::Bool, way).into_iter().map(|(way, value)| (way, not(value))).collect()
        }
        Expr::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            both(way, (a, b), Type::Bool, |a, b| logic(*op, a, b))
        }
        Expr::Binary(BinOp::Eq, a, b) => compared(way, a, b),
        Expr::Binary(op, a, b) => both(way, (a, b), Type::Int, |a, b| applied(*op, a, b)),
    }
}

/// What two are when they are compared: any integer is what it is compared with, or another one.
fn compared(way: &[Held], a: &Expr, b: &Expr) -> Vec<(Vec<Held>, Held)> {
    if let (Expr::Local(local), Expr::Const(Value::Int(with))) = (a, b)
        && way[local.index()] == Held::Any
    {
        let as_it_is = |value: i128, equal: i128| {
            let mut way = way.to_vec();
            way[local.index()] = Held::Known(value);
            (way, Held::Known(equal))
        };
        return vec![as_it_is(*with, 1), as_it_is(if *with == 0 { 1 } else { 0 }, 0)];
    }
    if *a == Expr::Any || *b == Expr::Any {
        return [1, 0].map(|value| (way.to_vec(), Held::Known(value))).into();
    }
    both(way, (a, b), Type::Int, |a, b| applied(BinOp::Eq, a, b))
}

/// What comes of both operands.
fn both(
    way: &[Held],
    (a, b): (&Expr, &Expr),
    ty: Type,
    of: impl Fn(Held, Held) -> Held,
) -> Vec<(Vec<Held>, Held)> {
    let mut found = Vec::new();
    for (way, a) in values(a, ty, way) {
        found.extend(values(b, ty, &way).into_iter().map(|(way, b)| (way, of(a, b))));
    }
    found
}

fn not(value: Held) -> Held {
    match value {
        Held::Known(value) => Held::Known(1 - value),
        _ => Held::Unknown,
    }
}

/// One of the two may decide alone.
fn logic(op: BinOp, a: Held, b: Held) -> Held {
    let decides = Held::Known(i128::from(op == BinOp::Or));
    if a == decides || b == decides { decides } else { applied(op, a, b) }
}

fn applied(op: BinOp, a: Held, b: Held) -> Held {
    match (a, b) {
        (Held::Known(a), Held::Known(b)) => Held::Known(op.apply(a, b)),
        _ => Held::Unknown,
    }
}
