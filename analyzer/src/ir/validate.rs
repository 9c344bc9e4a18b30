//! Types: every local, result and variable is a Boolean, an integer or a handle, inferred by unification.

use std::collections::BTreeSet;

use super::*;

/// Why a program makes no sense.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// What is wrong.
    pub message: String,
    /// The statement or declaration it is wrong at.
    pub place: Option<PlaceId>,
}

/// What a local holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// A truth value. Also what nothing says anything about.
    Bool,
    /// An integer.
    Int,
    /// The handle of a task.
    Handle,
}

/// The types of a program's locals, and what integers it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Types {
    /// By procedure and local.
    pub locals: Vec<Vec<Type>>,
    /// By procedure: what it returns.
    pub results: Vec<Type>,
    /// What an integer `*` ranges over: all integers of one bit more than the widest range and constant of the program need,
    /// as far as they are in [`INTEGERS`]. So it can be less and more than everything the program names.
    pub any_int: (i128, i128),
    /// Zero, the constants and the ends of the ranges of the program, in ascending order: where comparisons and storing can
    /// come to make a difference.
    pub landmarks: Vec<i128>,
}

/// Loops of a fixed number of rounds are written out where programs are run; with more statements than this they are refused.
const WRITTEN_OUT: u64 = 1_000_000;

/// Checks that every id is in range, every use fits its type, and no loop is too large to be written out; gives the types.
///
/// # Errors
/// The first thing that is wrong, with its place.
pub fn validate(program: &Program) -> Result<Types, Invalid> {
    let mut infer = Infer::new(program);
    for var in &program.vars {
        if let Some(Domain::Int { lo, hi } | Domain::Variant { lo, hi }) = var.domain {
            infer.landmarks.extend([lo, hi]);
        }
    }
    for (index, proc) in program.procs.iter().enumerate() {
        infer.proc = index;
        if let ProcKind::Event { guard: Some(g), .. } = proc.kind
            && program.vars[g.index()].domain != Some(Domain::Bool)
        {
            let message = format!("the guard `{}` is not a tracked bool", program.vars[g.index()].name);
            return Err(Invalid { message, place: proc.place });
        }
        infer.block(&proc.body)?;
        written_out(&proc.body)?;
    }
    infer.handles_stay()?;
    Ok(infer.finish())
}

/// How many statements a block has when its loops of a fixed number of rounds are written out, and each read of a variable
/// is one of its own (so that it makes no difference whether the program is flattened).
fn written_out(block: &Block) -> Result<u64, Invalid> {
    let mut all = 0_u64;
    for s in block {
        let inside = match &s.kind {
            StmtKind::If(e, yes, no) => reads(e) + written_out(yes)?.saturating_add(written_out(no)?),
            StmtKind::While(e, body) => written_out(body)?.saturating_add(2 * reads(e)),
            StmtKind::Loop(rounds, body) => {
                let inside = written_out(body)?.saturating_add(1).saturating_mul(u64::from(*rounds));
                if inside > WRITTEN_OUT {
                    let message = format!("a loop of more than {WRITTEN_OUT} statements in all its rounds");
                    return Err(Invalid { message, place: s.place });
                }
                inside
            }
            StmtKind::SetVar(_, e)
            | StmtKind::SetLocal(_, e)
            | StmtKind::Assume(e)
            | StmtKind::Return(Some(e)) => reads(e),
            StmtKind::Async { args, .. } | StmtKind::Defer { args, .. } | StmtKind::Call { args, .. } => {
                args.iter().map(reads).sum()
            }
            _ => 0,
        };
        all = all.saturating_add(inside).saturating_add(1);
    }
    Ok(all)
}

/// How often an expression names a variable.
fn reads(e: &Expr) -> u64 {
    match e {
        Expr::Var(_) => 1,
        Expr::Not(a) => reads(a),
        Expr::Binary(_, a, b) => reads(a) + reads(b),
        Expr::Const(_) | Expr::Local(_) | Expr::Any => 0,
    }
}

/// A type variable or a type, as a node of a union-find forest.
type Node = usize;

struct Infer<'p> {
    program: &'p Program,
    proc: usize,
    parent: Vec<Node>,
    known: Vec<Option<Type>>,
    /// First local of each procedure; its result comes right behind its locals.
    first: Vec<Node>,
    landmarks: BTreeSet<i128>,
}

impl<'p> Infer<'p> {
    fn new(program: &'p Program) -> Self {
        let mut first = Vec::new();
        let mut nodes = 0;
        for proc in &program.procs {
            first.push(nodes);
            nodes += proc.locals.len() + 1;
        }
        Infer {
            program,
            proc: 0,
            parent: (0..nodes).collect(),
            known: vec![None; nodes],
            first,
            landmarks: BTreeSet::from([0]),
        }
    }

    fn fresh(&mut self, known: Option<Type>) -> Node {
        self.parent.push(self.parent.len());
        self.known.push(known);
        self.parent.len() - 1
    }

    fn root(&self, mut node: Node) -> Node {
        while self.parent[node] != node {
            node = self.parent[node];
        }
        node
    }

    /// The same, and the way there is half as long the next time.
    fn find(&mut self, mut node: Node) -> Node {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    fn local(&self, local: LocalId) -> Node {
        self.first[self.proc] + local.index()
    }

    fn result(&self, proc: usize) -> Node {
        self.first[proc] + self.program.procs[proc].locals.len()
    }

    fn unify(&mut self, a: Node, b: Node, stmt: &Stmt) -> Result<(), Invalid> {
        let (a, b) = (self.find(a), self.find(b));
        let known = match (self.known[a], self.known[b]) {
            (Some(x), Some(y)) if x != y => {
                let name = |t| match t {
                    Type::Bool => "a bool",
                    Type::Int => "an integer",
                    Type::Handle => "a handle",
                };
                let message = format!("{} is used where {} is needed", name(y), name(x));
                return Err(Invalid { message, place: stmt.place });
            }
            (x, y) => x.or(y),
        };
        self.parent[b] = a;
        self.known[a] = known;
        Ok(())
    }

    fn is(&mut self, node: Node, ty: Type, stmt: &Stmt) -> Result<(), Invalid> {
        let ty = self.fresh(Some(ty));
        self.unify(ty, node, stmt)
    }

    fn block(&mut self, block: &Block) -> Result<(), Invalid> {
        block.iter().try_for_each(|s| self.stmt(s))
    }

    fn stmt(&mut self, s: &Stmt) -> Result<(), Invalid> {
        match &s.kind {
            StmtKind::Read(_)
            | StmtKind::Write(_)
            | StmtKind::Update(..)
            | StmtKind::Acquire(..)
            | StmtKind::Release(_)
            | StmtKind::Yield
            | StmtKind::RunDeferred
            | StmtKind::Return(None) => Ok(()),
            StmtKind::SetVar(x, e) => {
                let e = self.expr(e, s)?;
                match self.program.vars[x.index()].domain {
                    Some(Domain::Bool | Domain::Presence) => self.is(e, Type::Bool, s),
                    Some(Domain::Int { .. } | Domain::Variant { .. }) => self.is(e, Type::Int, s),
                    None => Ok(()),
                }
            }
            StmtKind::SetLocal(t, e) => {
                let e = self.expr(e, s)?;
                self.unify(self.local(*t), e, s)
            }
            StmtKind::Assume(e) => self.condition(e, s),
            StmtKind::Async { task, args, handle } | StmtKind::Defer { task, args, handle } => {
                self.args(*task, args, s)?;
                handle.map_or(Ok(()), |h| self.is(self.local(h), Type::Handle, s))
            }
            StmtKind::Join(h) | StmtKind::Await(h) | StmtKind::Force(h) => {
                self.is(self.local(*h), Type::Handle, s)
            }
            StmtKind::Call { proc, args, result } => {
                self.args(*proc, args, s)?;
                result.map_or(Ok(()), |t| self.unify(self.result(proc.index()), self.local(t), s))
            }
            StmtKind::Return(Some(e)) => {
                let e = self.expr(e, s)?;
                self.unify(self.result(self.proc), e, s)
            }
            StmtKind::If(e, yes, no) => {
                self.condition(e, s)?;
                self.block(yes)?;
                self.block(no)
            }
            StmtKind::While(e, body) => {
                self.condition(e, s)?;
                self.block(body)
            }
            StmtKind::Loop(_, body) => self.block(body),
        }
    }

    fn condition(&mut self, e: &Expr, s: &Stmt) -> Result<(), Invalid> {
        let e = self.expr(e, s)?;
        self.is(e, Type::Bool, s)
    }

    fn args(&mut self, proc: ProcId, args: &[Expr], s: &Stmt) -> Result<(), Invalid> {
        for (i, arg) in args.iter().enumerate() {
            let arg = self.expr(arg, s)?;
            self.unify(self.first[proc.index()] + i, arg, s)?;
        }
        Ok(())
    }

    fn expr(&mut self, e: &Expr, s: &Stmt) -> Result<Node, Invalid> {
        Ok(match e {
            Expr::Const(Value::Bool(_)) => self.fresh(Some(Type::Bool)),
            Expr::Const(Value::Int(i)) => {
                self.landmarks.insert(*i);
                self.fresh(Some(Type::Int))
            }
            Expr::Local(t) => self.local(*t),
            Expr::Var(x) => match self.program.vars[x.index()].domain {
                Some(Domain::Bool | Domain::Presence) => self.fresh(Some(Type::Bool)),
                Some(Domain::Int { .. } | Domain::Variant { .. }) => self.fresh(Some(Type::Int)),
                None => self.fresh(None),
            },
            Expr::Any => self.fresh(None),
            Expr::Not(a) => {
                let a = self.expr(a, s)?;
                self.is(a, Type::Bool, s)?;
                a
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.expr(a, s)?, self.expr(b, s)?);
                let (takes, gives) = match op {
                    BinOp::And | BinOp::Or => (Some(Type::Bool), Type::Bool),
                    BinOp::Eq => (None, Type::Bool),
                    BinOp::Lt => (Some(Type::Int), Type::Bool),
                    BinOp::Add | BinOp::Sub => (Some(Type::Int), Type::Int),
                };
                self.unify(a, b, s)?;
                if let Some(ty) = takes {
                    self.is(a, ty, s)?;
                }
                self.fresh(Some(gives))
            }
        })
    }

    fn ty(&self, node: Node) -> Type {
        self.known[self.root(node)].unwrap_or(Type::Bool)
    }

    /// A task can be joined only by the task that started it, so no task is given a handle.
    fn handles_stay(&self) -> Result<(), Invalid> {
        for (index, proc) in self.program.procs.iter().enumerate() {
            let param = (0..proc.params).find(|i| self.ty(self.first[index] + i) == Type::Handle);
            if let (Some(param), ProcKind::Task { .. }) = (param, proc.kind) {
                let passes = |s: &&Stmt| match s.kind {
                    StmtKind::Async { task, .. } | StmtKind::Defer { task, .. } => task.index() == index,
                    _ => false,
                };
                let stmt = self.program.procs.iter().flat_map(Proc::statements).find(passes);
                let (param, name) = (&proc.locals[param], &proc.name);
                let message = format!(
                    "`{param}` of task `{name}` is a handle: only who started a task can wait for it"
                );
                return Err(Invalid { message, place: stmt.map_or(proc.place, |s| s.place) });
            }
        }
        Ok(())
    }

    fn finish(self) -> Types {
        let ty = |node| self.ty(node);
        let locals = (self.program.procs.iter().zip(&self.first))
            .map(|(proc, &first)| (0..proc.locals.len()).map(|i| ty(first + i)).collect())
            .collect();
        let results = (0..self.program.procs.len()).map(|p| ty(self.result(p))).collect();
        let (least, greatest) = (self.landmarks.first().copied(), self.landmarks.last().copied());
        let half = 1_i128 << bits_of(least.unwrap_or(0), greatest.unwrap_or(0)).min(INTEGER_BITS);
        let any_int = ((-half).max(*INTEGERS.start()), (half - 1).min(*INTEGERS.end()));
        Types { locals, results, any_int, landmarks: self.landmarks.into_iter().collect() }
    }
}
