//! Smaller programs that help to decide a question about a large one.
//!
//! Tasks that do not begin are part of the semantics, so a violation of a program without some of its tasks is one of the
//! whole, as long as nobody waits for those that are left out ([`Joined::Kept`]). Conversely, whatever does not touch
//! the variable that a violation of determinism is about can be taken out of its trace, joins included, unless it decides
//! a value that somebody asks for; so when the program with only what touches the variable has no violation,
//! the whole has none that is about it ([`Joined::Dropped`]).

use std::collections::{BTreeSet, HashMap, HashSet};

use petgraph::unionfind::UnionFind;

use crate::filter::held::Tasks;
use crate::ir::calls::Calls;
use crate::ir::passes::callers::{By, doing};
use crate::ir::walk::has_var;
use crate::ir::*;
use crate::semantics::{Access, Code};

/// What becomes of tasks that somebody waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Joined {
    /// They are kept with whoever waits for them: what the smaller program does, the whole can do.
    Kept,
    /// Nobody waits for tasks that are left out, and accesses of other variables are left out: what the whole does to the
    /// variable, the smaller program can do.
    Dropped,
}

/// What is known of a flattened program's bodies: events and tasks with the procedures they call.
pub struct Focus<'p> {
    program: &'p Program,
    /// Of tasks and events, by procedure.
    bodies: Vec<Body>,
    /// For each local that can hold a handle: the tasks that it can be of.
    handles: HashMap<(usize, LocalId), BTreeSet<usize>>,
}

#[derive(Default)]
struct Body {
    accesses: HashSet<Access>,
    starts: HashSet<usize>,
    waits: HashSet<usize>,
    /// Tracked variables whose values it asks for.
    asks: HashSet<VarId>,
}

impl<'p> Focus<'p> {
    /// Looks at a program whose expressions name variables only as `t := x`.
    pub fn new(program: &'p Program, types: &Types) -> Focus<'p> {
        let handles = handles(program, types);
        let own: Vec<Body> = (0..program.procs.len()).map(|p| own(program, p, &handles)).collect();
        let calls = Calls::new(program);
        let bodies = program.procs.iter().enumerate().map(|(p, proc)| match proc.kind {
            ProcKind::Proc => Body::default(),
            _ => with_called(calls.reachable(ProcId(p as u32)), &own),
        });
        Focus { program, bodies: bodies.collect(), handles }
    }

    /// The events and tasks with an access of the variable.
    pub fn touching(&self, x: VarId) -> Vec<ProcId> {
        let touches = |p: &ProcId| self.bodies[p.index()].accesses.iter().any(|a| a.var == x);
        self.tasks().filter(touches).collect()
    }

    /// The events and tasks, in order of declaration.
    pub fn tasks(&self) -> impl Iterator<Item = ProcId> + '_ {
        let is_task = |p: &ProcId| self.program.proc(*p).kind != ProcKind::Proc;
        (0..self.program.procs.len() as u32).map(ProcId).filter(is_task)
    }

    /// An event and the tasks that it, or what it starts, starts.
    pub fn started_by(&self, event: ProcId) -> BTreeSet<ProcId> {
        let (mut found, mut open) = (BTreeSet::from([event]), vec![event]);
        while let Some(task) = open.pop() {
            let starts = self.bodies[task.index()].starts.iter().map(|&task| ProcId(task as u32));
            open.extend(starts.filter(|&task| found.insert(task)));
        }
        found
    }

    /// The variables on which accesses of these tasks conflict.
    pub fn variables(&self, tasks: &BTreeSet<ProcId>) -> Vec<VarId> {
        let all: Vec<Access> =
            tasks.iter().flat_map(|t| self.bodies[t.index()].accesses.iter().copied()).collect();
        let mut by_var: HashMap<VarId, HashSet<Access>> = HashMap::new();
        all.iter().for_each(|a| {
            by_var.entry(a.var).or_default().insert(*a);
        });
        let conflicts = |set: &HashSet<Access>| set.iter().any(|a| set.iter().any(|b| a.conflicts(*b)));
        let mut vars: Vec<VarId> =
            by_var.into_iter().filter(|(_, set)| conflicts(set)).map(|(x, _)| x).collect();
        vars.sort();
        vars
    }

    /// The program with these tasks and what belongs to them: all events, who starts them, and who decides values that are
    /// asked for. `about` is the variable in question.
    pub fn on(&self, seeds: &[ProcId], about: VarId, joined: Joined) -> Program {
        let (kept, asked) = self.closure(seeds, joined);
        let relevant = |x: VarId| x == about || asked.contains(&x);
        let mut program = self.program.clone();
        for (p, proc) in program.procs.iter_mut().enumerate() {
            if proc.kind != ProcKind::Proc && !kept.contains(&p) {
                proc.kind = ProcKind::Proc;
                proc.body.clear();
            }
            let body = std::mem::take(&mut proc.body);
            proc.body = self.reduced(p, body, &kept, joined, &relevant);
        }
        program
    }

    /// The variables on which accesses of the first tasks conflict with accesses of the others.
    pub fn between(&self, tasks: &BTreeSet<ProcId>, others: &BTreeSet<ProcId>) -> BTreeSet<VarId> {
        let accesses = |tasks: &BTreeSet<ProcId>| -> HashSet<Access> {
            tasks.iter().flat_map(|task| self.bodies[task.index()].accesses.iter().copied()).collect()
        };
        let mut others_by_var: HashMap<VarId, Vec<Access>> = HashMap::new();
        accesses(others).into_iter().for_each(|a| others_by_var.entry(a.var).or_default().push(a));
        let conflicts =
            |a: &Access| others_by_var.get(&a.var).is_some_and(|b| b.iter().any(|b| a.conflicts(*b)));
        accesses(tasks).into_iter().filter(conflicts).map(|access| access.var).collect()
    }

    /// The program with what is done to some variables, and to those whose values are asked for, and with the locks that are held for
    /// that: what it does, the whole can do. Who has a lock for nothing of this gives it back at some time. And what the whole does to
    /// these variables, it can do.
    pub fn of(&self, about: &BTreeSet<VarId>) -> Program {
        let (kept, mut asked) = self.closure(&self.tasks().collect::<Vec<_>>(), Joined::Kept);
        asked.extend(about);
        let mut program = self.program.clone();
        for (p, proc) in program.procs.iter_mut().enumerate() {
            let body = std::mem::take(&mut proc.body);
            proc.body = self.reduced(p, body, &kept, Joined::Dropped, &|x| asked.contains(&x));
        }
        let mut locks: HashSet<LockId> = HashSet::new();
        let all = Tasks::new(&program);
        for task in self.tasks() {
            let Some(accesses) = all.accesses(task) else {
                locks = around(&program);
                break;
            };
            locks.extend(accesses.iter().flat_map(|(_, held)| held.locks.iter().map(|(lock, _)| lock)));
        }
        // What is in a lock is nobody's without it, be the lock taken on some ways to an access only: an arm of `select!`.
        locks.extend(asked.iter().filter_map(|x| program.vars[x.index()].guard));
        for proc in &mut program.procs {
            proc.body = without(std::mem::take(&mut proc.body), &locks);
        }
        program
    }

    fn closure(&self, seeds: &[ProcId], joined: Joined) -> (HashSet<usize>, HashSet<VarId>) {
        let mut kept: HashSet<usize> =
            self.program.events().chain(seeds.iter().copied()).map(ProcId::index).collect();
        let mut asked = HashSet::new();
        let guards = self.program.events().filter_map(|e| match self.program.proc(e).kind {
            ProcKind::Event { guard, .. } => guard,
            _ => None,
        });
        asked.extend(guards);
        loop {
            let before = (kept.len(), asked.len());
            for task in self.tasks().map(ProcId::index) {
                let body = &self.bodies[task];
                let starts = body.starts.iter().any(|t| kept.contains(t));
                let decides = body
                    .accesses
                    .iter()
                    .any(|a| a.kind != crate::semantics::AccessKind::Read && asked.contains(&a.var));
                if starts || decides {
                    kept.insert(task);
                }
                if kept.contains(&task) {
                    asked.extend(&body.asks);
                    if joined == Joined::Kept {
                        kept.extend(&body.waits);
                    }
                }
            }
            // A handle that may be of a kept task may not be of one that is left out.
            for tasks in self.handles.values() {
                if tasks.iter().any(|t| kept.contains(t)) {
                    kept.extend(tasks);
                }
            }
            if before == (kept.len(), asked.len()) {
                return (kept, asked);
            }
        }
    }

    fn reduced(
        &self,
        proc: usize,
        block: Block,
        kept: &HashSet<usize>,
        joined: Joined,
        relevant: &impl Fn(VarId) -> bool,
    ) -> Block {
        let is_dropped = |h: &LocalId| match self.handles.get(&(proc, *h)) {
            Some(tasks) => !tasks.is_empty() && tasks.iter().all(|t| !kept.contains(t)),
            None => false,
        };
        let mut out = Vec::new();
        for mut s in block {
            match &mut s.kind {
                StmtKind::Async { task, .. } if !kept.contains(&task.index()) => continue,
                StmtKind::Join(h) if is_dropped(h) => continue,
                StmtKind::Await(h) if is_dropped(h) => s.kind = StmtKind::Yield,
                StmtKind::Read(x) | StmtKind::Write(x) | StmtKind::Update(x, _) | StmtKind::SetVar(x, _)
                    if joined == Joined::Dropped && !relevant(*x) =>
                {
                    continue;
                }
                StmtKind::SetLocal(_, e) if joined == Joined::Dropped => {
                    if let Expr::Var(x) = *e
                        && !relevant(x)
                    {
                        *e = Expr::Any;
                    }
                }
                StmtKind::If(_, yes, no) => {
                    *yes = self.reduced(proc, std::mem::take(yes), kept, joined, relevant);
                    *no = self.reduced(proc, std::mem::take(no), kept, joined, relevant);
                }
                StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                    *body = self.reduced(proc, std::mem::take(body), kept, joined, relevant);
                }
                _ => {}
            }
            out.push(s);
        }
        out
    }
}

/// A block without locks that are none of these, and without what does nothing then.
fn without(block: Block, locks: &HashSet<LockId>) -> Block {
    let mut out = Vec::new();
    for mut s in block {
        let empty = match &mut s.kind {
            StmtKind::Acquire(lock, _) | StmtKind::Release(lock) => !locks.contains(lock),
            StmtKind::If(_, yes, no) => {
                *yes = without(std::mem::take(yes), locks);
                *no = without(std::mem::take(no), locks);
                yes.is_empty() && no.is_empty()
            }
            StmtKind::Loop(_, body) => {
                *body = without(std::mem::take(body), locks);
                body.is_empty()
            }
            StmtKind::While(again, body) => {
                *body = without(std::mem::take(body), locks);
                body.is_empty() && *again == Expr::Any
            }
            _ => false,
        };
        if !empty {
            out.push(s);
        }
    }
    out
}

/// The locks that may be held at some access of a program that is too large to follow all of its paths: those that procedures which come
/// to an access take or give back, and those that what they call takes and does not give back.
fn around(program: &Program) -> HashSet<LockId> {
    let is_access = |s: &Stmt| match &s.kind {
        StmtKind::Read(_) | StmtKind::Write(_) | StmtKind::Update(..) | StmtKind::SetVar(..) => true,
        StmtKind::SetLocal(_, value) => has_var(value),
        _ => false,
    };
    let coming = doing(program, By::Calls, is_access);
    let calls = Calls::new(program);
    let mut locks = HashSet::new();
    for proc in &coming {
        for s in program.proc(*proc).statements() {
            match s.kind {
                StmtKind::Acquire(lock, _) | StmtKind::Release(lock) => drop(locks.insert(lock)),
                StmtKind::Call { proc: called, .. } if !coming.contains(&called) => {
                    let (mut taken, mut given) = (HashSet::new(), HashSet::new());
                    let all = calls.reachable(called).into_iter().flat_map(|p| program.proc(p).statements());
                    all.for_each(|s| match s.kind {
                        StmtKind::Acquire(lock, _) => drop(taken.insert(lock)),
                        StmtKind::Release(lock) => drop(given.insert(lock)),
                        _ => {}
                    });
                    locks.extend(taken.difference(&given));
                }
                _ => {}
            }
        }
    }
    locks
}

/// A body without what it calls.
fn own(program: &Program, proc: usize, handles: &HashMap<(usize, LocalId), BTreeSet<usize>>) -> Body {
    let mut body = Body::default();
    let code = Code::new(&program.procs[proc]);
    body.accesses.extend(code.ops.iter().filter_map(|(op, _)| op.access()));
    for s in program.procs[proc].statements() {
        match &s.kind {
            StmtKind::Async { task, .. } => {
                body.starts.insert(task.index());
            }
            StmtKind::Join(h) | StmtKind::Await(h) => {
                body.waits.extend(handles.get(&(proc, *h)).into_iter().flatten());
            }
            StmtKind::SetLocal(_, Expr::Var(x)) if program.vars[x.index()].domain.is_some() => {
                body.asks.insert(*x);
            }
            _ => {}
        }
    }
    body
}

/// A task with all that it calls: the procedures that it consists of.
fn with_called(procs: Vec<ProcId>, own: &[Body]) -> Body {
    let mut all = Body::default();
    for body in procs.into_iter().map(|proc| &own[proc.index()]) {
        all.accesses.extend(&body.accesses);
        all.starts.extend(&body.starts);
        all.waits.extend(&body.waits);
        all.asks.extend(&body.asks);
    }
    all
}

/// The tasks behind each local that can hold a handle, whatever the order of statements.
fn handles(program: &Program, types: &Types) -> HashMap<(usize, LocalId), BTreeSet<usize>> {
    let mut first = Vec::new();
    let mut size = 0;
    for proc in &program.procs {
        first.push(size);
        // The result comes behind the locals.
        size += proc.locals.len() + 1;
    }
    let node = |p: usize, t: LocalId| first[p] + t.index();
    let result = |p: usize| first[p] + program.procs[p].locals.len();
    let mut same = UnionFind::<usize>::new(size);
    let mut started = Vec::new();
    for (p, proc) in program.procs.iter().enumerate() {
        let is_handle = |t: LocalId| types.locals[p].get(t.index()) == Some(&Type::Handle);
        for s in proc.statements() {
            match &s.kind {
                StmtKind::SetLocal(t, Expr::Local(u)) if is_handle(*t) => {
                    same.union(node(p, *t), node(p, *u));
                }
                StmtKind::Return(Some(Expr::Local(t))) if is_handle(*t) => {
                    same.union(node(p, *t), result(p));
                }
                StmtKind::Async { task, handle: Some(h), .. } => started.push((node(p, *h), task.index())),
                StmtKind::Call { proc: called, args, result: to } => {
                    for (arg, i) in args.iter().zip(0..) {
                        if let Expr::Local(t) = arg
                            && is_handle(*t)
                        {
                            same.union(node(p, *t), node(called.index(), LocalId(i)));
                        }
                    }
                    if let Some(t) = to.filter(|t| is_handle(*t)) {
                        same.union(node(p, t), result(called.index()));
                    }
                }
                _ => {}
            }
        }
    }
    let mut tasks: HashMap<usize, BTreeSet<usize>> = HashMap::new();
    for (node, task) in started {
        tasks.entry(same.find(node)).or_default().insert(task);
    }
    let mut handles = HashMap::new();
    for (p, proc) in program.procs.iter().enumerate() {
        for t in (0..proc.locals.len() as u32).map(LocalId) {
            if types.locals[p][t.index()] == Type::Handle {
                let of = tasks.get(&same.find(node(p, t))).cloned().unwrap_or_default();
                handles.insert((p, t), of);
            }
        }
    }
    handles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text::parse;

    /// How often a lock is taken, in the text of what is left of a program for one variable.
    fn acquires(program: &Program) -> usize {
        let types = validate(program).expect("valid");
        let smaller = Focus::new(program, &types).of(&BTreeSet::from([VarId(0)]));
        let taken = |stmt: &&Stmt| matches!(stmt.kind, StmtKind::Acquire(..));
        smaller.statements().into_iter().filter(taken).count()
    }

    #[test]
    fn what_is_in_a_lock_keeps_it() {
        let source = "lock l; var x;
            event e on any { call take(); if * { read x; release l; } call take(); if * { write x; release l; } }
            proc take() { if * { acquire l; } }";
        let mut program = parse(source, "test.rob").expect("valid");
        assert_eq!(acquires(&program), 0);
        program.vars[0].guard = Some(LockId(0));
        assert_eq!(acquires(&program), 1);
    }
}
