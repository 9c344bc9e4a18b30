//! Renumbering a program after things went.

use std::collections::BTreeMap;

use crate::ir::{
    Block, ClassId, ExecId, Expr, Label, LocalId, LockId, PlaceId, Proc, ProcId, ProcKind, Program,
    RenumberBases, StmtKind, VarId, Where,
};

/// New numbers of one kind of thing, in the order they are met.
#[derive(Default)]
struct Numbers {
    new: BTreeMap<u32, u32>,
    /// What has them, in their order.
    old: Vec<u32>,
}

impl Numbers {
    fn of(&mut self, old: u32) -> u32 {
        let next = self.old.len() as u32;
        let new = *self.new.entry(old).or_insert(next);
        if new == next {
            self.old.push(old);
        }
        new
    }

    /// The things that have new numbers, in their order.
    fn pick<T: Clone>(&self, from: &[T]) -> Vec<T> {
        self.old.iter().filter_map(|old| from.get(*old as usize).cloned()).collect()
    }
}

#[derive(Default)]
struct Renumber {
    procs: Numbers,
    vars: Numbers,
    locks: Numbers,
    execs: Numbers,
    classes: Numbers,
    places: Numbers,
    locals: Numbers,
    bases: RenumberBases,
    labels: u32,
}

/// Keeps events with a body and what they lead to; renumbers everything in the order it is met.
pub(crate) fn compact(program: &mut Program) {
    let mut numbers = Renumber::default();
    numbers.execs.of(0);
    let events: Vec<u32> =
        program.events().filter(|id| !program.proc(*id).body.is_empty()).map(|id| id.0).collect();
    for event in events {
        numbers.procs.of(event);
    }
    let mut done: Vec<Proc> = Vec::new();
    // Procedures get their numbers while the bodies before them are walked.
    while let Some(old) = numbers.procs.old.get(done.len()) {
        let Some(mut proc) = program.procs.get(*old as usize).cloned() else { break };
        numbers.proc(&mut proc);
        done.push(proc);
    }
    program.procs = done;
    program.vars = numbers.vars.pick(&program.vars);
    for var in &mut program.vars {
        var.guard = var.guard.map(|lock| LockId(numbers.locks.of(lock.0)));
    }
    program.locks = numbers.locks.pick(&program.locks);
    program.executors = numbers.execs.pick(&program.executors);
    program.classes = numbers.classes.pick(&program.classes);
    program.places = numbers.places.pick(&program.places);
    program.bases = numbers.bases.pick(&program.bases);
}

impl Renumber {
    fn proc(&mut self, proc: &mut Proc) {
        match &mut proc.kind {
            ProcKind::Event { on, guard, .. } => {
                self.on(on);
                if let Some(guard) = guard {
                    *guard = VarId(self.vars.of(guard.0));
                }
            }
            ProcKind::Task { on } => self.on(on),
            ProcKind::Proc => {}
        }
        self.place(&mut proc.place);
        self.locals = Numbers::default();
        for param in 0..proc.params as u32 {
            self.locals.of(param);
        }
        self.block(&mut proc.body);
        proc.locals = self.locals.pick(&proc.locals);
    }

    fn on(&mut self, on: &mut Where) {
        if let Where::On(exec) = on {
            *exec = ExecId(self.execs.of(exec.0));
        }
    }

    fn place(&mut self, place: &mut Option<PlaceId>) {
        if let Some(place) = place {
            *place = PlaceId(self.places.of(place.0));
        }
    }

    fn local(&mut self, local: &mut LocalId) {
        *local = LocalId(self.locals.of(local.0));
    }

    fn expr(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Local(local) => self.local(local),
            Expr::Var(var) => *var = VarId(self.vars.of(var.0)),
            Expr::Not(inner) => self.expr(inner),
            Expr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            Expr::Const(_) | Expr::Any => {}
        }
    }

    fn block(&mut self, block: &mut Block) {
        for stmt in block {
            stmt.label = Label(self.labels);
            self.labels += 1;
            self.place(&mut stmt.place);
            stmt.basis = stmt.basis.map(|basis| self.bases.of(basis));
            match &mut stmt.kind {
                StmtKind::Read(var) | StmtKind::Write(var) => *var = VarId(self.vars.of(var.0)),
                StmtKind::Update(var, class) => {
                    *var = VarId(self.vars.of(var.0));
                    *class = ClassId(self.classes.of(class.0));
                }
                StmtKind::SetVar(var, value) => {
                    *var = VarId(self.vars.of(var.0));
                    self.expr(value);
                }
                StmtKind::SetLocal(local, value) => {
                    self.local(local);
                    self.expr(value);
                }
                StmtKind::Assume(value) => self.expr(value),
                StmtKind::Acquire(lock, _) | StmtKind::Release(lock) => {
                    *lock = LockId(self.locks.of(lock.0));
                }
                StmtKind::Yield => {}
                StmtKind::Async { task, args, handle } => {
                    *task = ProcId(self.procs.of(task.0));
                    args.iter_mut().for_each(|arg| self.expr(arg));
                    if let Some(handle) = handle {
                        self.local(handle);
                    }
                }
                StmtKind::Join(handle) | StmtKind::Await(handle) => self.local(handle),
                StmtKind::Call { proc, args, result } => {
                    *proc = ProcId(self.procs.of(proc.0));
                    args.iter_mut().for_each(|arg| self.expr(arg));
                    if let Some(result) = result {
                        self.local(result);
                    }
                }
                StmtKind::Return(value) => {
                    if let Some(value) = value {
                        self.expr(value);
                    }
                }
                StmtKind::If(condition, a, b) => {
                    self.expr(condition);
                    self.block(a);
                    self.block(b);
                }
                StmtKind::While(condition, body) => {
                    self.expr(condition);
                    self.block(body);
                }
                StmtKind::Loop(_, body) => self.block(body),
                // Only translations write these.
                StmtKind::Defer { .. } | StmtKind::Force(_) | StmtKind::RunDeferred => {}
            }
        }
    }
}
