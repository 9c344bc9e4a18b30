//! Procedures as flat code with jumps, so that a task's place is a number.

use super::{Access, AccessKind};
use crate::ir::*;

/// An operation. The first group is visible to other tasks, the second is local.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// `read x`, or `t := x` with the local that takes the value.
    Read(VarId, Option<LocalId>),
    /// `write x`: any value.
    Write(VarId),
    /// `update x by c`: any value.
    Update(VarId, ClassId),
    /// `x := e`, where `e` names locals only.
    Set(VarId, Expr),
    /// Takes a lock.
    Acquire(LockId, Mode),
    /// Gives a lock back.
    Release(LockId),
    /// Gives a cooperative executor back and takes it again.
    Yield,
    /// Starts a task.
    Async(ProcId, Vec<Expr>, Option<LocalId>),
    /// Waits for a task; `true` gives a cooperative executor back meanwhile.
    Join(LocalId, bool),

    /// `t := e`.
    SetLocal(LocalId, Expr),
    /// Goes on only if the condition holds.
    Assume(Expr),
    /// Calls a procedure.
    Call(ProcId, Vec<Expr>, Option<LocalId>),
    /// Leaves the procedure.
    Return(Option<Expr>),
    /// Goes on at the given operation.
    Jump(usize),
    /// Goes on behind if the condition holds, else at the given operation.
    Unless(Expr, usize),
}

impl Op {
    /// Whether other tasks can see it or disturb it.
    pub fn is_visible(&self) -> bool {
        matches!(
            self,
            Op::Read(..)
                | Op::Write(_)
                | Op::Update(..)
                | Op::Set(..)
                | Op::Acquire(..)
                | Op::Release(_)
                | Op::Yield
                | Op::Async(..)
                | Op::Join(..)
        )
    }

    /// The access, if it is one.
    pub fn access(&self) -> Option<Access> {
        let (var, kind) = match *self {
            Op::Read(var, _) => (var, AccessKind::Read),
            Op::Write(var) | Op::Set(var, _) => (var, AccessKind::Write),
            Op::Update(var, class) => (var, AccessKind::Update(class)),
            _ => return None,
        };
        Some(Access { var, kind })
    }
}

/// The code of one procedure: operations with the label of their statement. Ends with a `Return`.
#[derive(Clone, Debug)]
pub struct Code {
    /// The operations.
    pub ops: Vec<(Op, Label)>,
}

impl Code {
    /// Compiles the body of a flattened procedure.
    pub fn new(proc: &Proc) -> Code {
        let mut code = Code { ops: Vec::new() };
        code.block(&proc.body);
        code.ops.push((Op::Return(None), Label(u32::MAX)));
        code
    }

    fn block(&mut self, block: &Block) {
        for s in block {
            self.stmt(s);
        }
    }

    fn stmt(&mut self, s: &Stmt) {
        let op = match &s.kind {
            StmtKind::If(e, yes, no) => return self.if_else(s.label, e, yes, no),
            StmtKind::While(e, body) => {
                let start = self.ops.len();
                self.ops.push((Op::Unless(e.clone(), 0), s.label));
                self.block(body);
                self.ops.push((Op::Jump(start), s.label));
                return self.patch(start);
            }
            StmtKind::Loop(k, body) => return (0..*k).for_each(|_| self.block(body)),
            StmtKind::Read(x) => Op::Read(*x, None),
            StmtKind::SetLocal(t, Expr::Var(x)) => Op::Read(*x, Some(*t)),
            StmtKind::Write(x) => Op::Write(*x),
            StmtKind::Update(x, c) => Op::Update(*x, *c),
            StmtKind::SetVar(x, e) => Op::Set(*x, e.clone()),
            StmtKind::SetLocal(t, e) => Op::SetLocal(*t, e.clone()),
            StmtKind::Assume(e) => Op::Assume(e.clone()),
            StmtKind::Acquire(l, mode) => Op::Acquire(*l, *mode),
            StmtKind::Release(l) => Op::Release(*l),
            StmtKind::Yield => Op::Yield,
            StmtKind::Async { task, args, handle } => Op::Async(*task, args.clone(), *handle),
            StmtKind::Join(h) => Op::Join(*h, false),
            StmtKind::Await(h) => Op::Join(*h, true),
            StmtKind::Call { proc, args, result } => Op::Call(*proc, args.clone(), *result),
            StmtKind::Return(e) => Op::Return(e.clone()),
            // Of sequential programs, which have no multi-thread semantics.
            StmtKind::Defer { .. } | StmtKind::Force(_) | StmtKind::RunDeferred => return,
        };
        self.ops.push((op, s.label));
    }

    fn if_else(&mut self, label: Label, e: &Expr, yes: &Block, no: &Block) {
        let test = self.ops.len();
        self.ops.push((Op::Unless(e.clone(), 0), label));
        self.block(yes);
        let skip_no = self.ops.len();
        if !no.is_empty() {
            self.ops.push((Op::Jump(0), label));
        }
        self.patch(test);
        if !no.is_empty() {
            self.block(no);
            self.patch(skip_no);
        }
    }

    /// Lets the jump at `at` lead to the end of the code so far.
    fn patch(&mut self, at: usize) {
        let end = self.ops.len();
        match &mut self.ops[at].0 {
            Op::Jump(to) | Op::Unless(_, to) => *to = end,
            _ => unreachable!("only jumps are patched"),
        }
    }
}
