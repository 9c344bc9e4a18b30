//! Statements and expressions.

use serde::{Deserialize, Serialize};

use super::*;

/// Where a task runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Where {
    /// No executor: a fresh thread per task.
    Any,
    /// On an executor, which it holds while it runs.
    On(ExecId),
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stmt {
    /// Unique in the program.
    pub label: Label,
    /// Where it stands in the source.
    pub place: Option<PlaceId>,
    /// What its access is based on, if it has one and that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<BasisId>,
    /// What it does.
    pub kind: StmtKind,
}

impl Stmt {
    /// The variable that it changes.
    pub fn changed(&self) -> Option<VarId> {
        match self.kind {
            StmtKind::Write(var) | StmtKind::Update(var, _) | StmtKind::SetVar(var, _) => Some(var),
            _ => None,
        }
    }
}

/// How a lock is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Mode {
    /// Alone.
    Exclusive,
    /// Together with other shared holders (the readers of an `RwLock`).
    Shared,
}

/// What a statement does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StmtKind {
    /// `read x`: an access that discards the value.
    Read(VarId),
    /// `write x`: an access that stores any value.
    Write(VarId),
    /// `update x by c`: an access that commutes with the updates of the same class, and stores any value, see [`Program::updated`].
    Update(VarId, ClassId),
    /// `x := e`.
    SetVar(VarId, Expr),
    /// `t := e`.
    SetLocal(LocalId, Expr),
    /// `assume e`: the task goes no further unless `e` holds.
    Assume(Expr),
    /// `acquire l`, `acquire shared l`: blocks until the lock can be had. Not re-entrant.
    Acquire(LockId, Mode),
    /// `release l`: nothing happens when the task does not hold it.
    Release(LockId),
    /// `yield`: gives a cooperative executor back and takes it again.
    Yield,
    /// `async[E] p(..)`, `h := async[E] p(..)`.
    Async {
        /// The task to start.
        task: ProcId,
        /// Its arguments.
        args: Vec<Expr>,
        /// The local that holds its handle.
        handle: Option<LocalId>,
    },
    /// `join h`: blocks until the task behind `h` ended; nothing happens when `h` holds no handle.
    Join(LocalId),
    /// `await h`: as `join`, and a cooperative executor is given back meanwhile.
    Await(LocalId),
    /// `call p(..)`, `t := call p(..)`.
    Call {
        /// The procedure.
        proc: ProcId,
        /// Its arguments.
        args: Vec<Expr>,
        /// The local that takes its result.
        result: Option<LocalId>,
    },
    /// `return`, `return e`.
    Return(Option<Expr>),
    /// `if e {..} else {..}`.
    If(Expr, Block, Block),
    /// `while e {..}`.
    While(Expr, Block),
    /// `loop k {..}`: the body `k` times.
    Loop(u32, Block),
    /// `defer p(..)`, `h := defer p(..)`: appends a call to the list of the running task. Sequential programs only.
    Defer {
        /// The task to run later.
        task: ProcId,
        /// Its arguments.
        args: Vec<Expr>,
        /// The local that holds its handle.
        handle: Option<LocalId>,
    },
    /// `force h`: takes the call behind `h` from the list and makes it now. Sequential programs only.
    Force(LocalId),
    /// `run deferred`: makes the calls of the running task's list, in order. Sequential programs only.
    RunDeferred,
}

/// An expression. A shared variable named in it is a read of it, in order of evaluation, left to right; `&&` and `||`
/// evaluate both sides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Expr {
    /// A constant.
    Const(Value),
    /// A local.
    Local(LocalId),
    /// A shared variable.
    Var(VarId),
    /// `*`: any value of the type that the context asks for; of integers, any of [`Types::any_int`].
    Any,
    /// `!e`.
    Not(Box<Expr>),
    /// `a op b`.
    Binary(BinOp, Box<Expr>, Box<Expr>),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinOp {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `==`
    Eq,
    /// `<`
    Lt,
    /// `+`
    Add,
    /// `-`
    Sub,
}

impl BinOp {
    /// What comes of two values; truth values are 0 and 1. Sums and differences wrap around at [`INTEGER_BITS`].
    pub fn apply(self, x: i128, y: i128) -> i128 {
        match self {
            BinOp::And => x & y,
            BinOp::Or => x | y,
            BinOp::Eq => i128::from(x == y),
            BinOp::Lt => i128::from(x < y),
            BinOp::Add => wrap(x + y, INTEGER_BITS),
            BinOp::Sub => wrap(x - y, INTEGER_BITS),
        }
    }
}

/// A place in a source file. Lines and columns count from 1, columns in characters; the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SourcePlace {
    /// Path as the compiler (or the command line) named it.
    pub file: String,
    /// First line.
    pub line: u32,
    /// First column.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Column behind the last character.
    pub end_column: u32,
}
