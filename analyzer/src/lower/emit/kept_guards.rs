//! Guards that are kept in options, and taken at first need: `if held.is_none() { held = Some(lock.lock()) }`.
//!
//! Whether there is one is whether the task has the lock, which a local says. It is kept up to date in each procedure; those that ask, or call
//! others that do, are there once for each set of locks that they may be called with.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::calls::Calls;
use crate::ir::walk::{each, each_mut};
use crate::ir::{
    Block, Expr, Label, LocalId, LockId, Mode, PlaceId, Proc, ProcId, Program, Stmt, StmtKind, Value,
};
use crate::lower::emit::emitter::{Build, Emitter, has_name};
use crate::mir::Local;
use crate::world::actions::effects::Action;
use crate::world::points::heap::LocId;
use crate::world::points::names::unique;

impl Emitter<'_, '_> {
    /// A local becomes whether the task has one of these locks, or none.
    pub(super) fn holds(
        &mut self,
        build: &mut Build,
        (local, is): (Local, bool),
        (locks, lent): (&[LocId], bool),
        place: Option<PlaceId>,
        out: &mut Block,
    ) {
        let to = build.local(format!("v{}", local.0), true);
        let value = match locks {
            [lock] => {
                let id = self.lock_of(*lock);
                let has = Expr::Local(build.has(id));
                let not = Expr::Not(Box::new(has.clone()));
                if lent {
                    // The guard that may be there was taken before.
                    let taken = self.stmt(place, StmtKind::Acquire(id, self.mode_of(*lock)));
                    let missing = self.stmt(None, StmtKind::If(not.clone(), vec![taken], Vec::new()));
                    out.push(self.stmt(None, StmtKind::If(Expr::Any, vec![missing], Vec::new())));
                }
                if is { has } else { not }
            }
            // Of which of them it is, is not known.
            _ => Expr::Any,
        };
        out.push(self.stmt(None, StmtKind::SetLocal(to, value)));
    }

    /// From here on the task has a lock that it must have had before, if nobody has seen it take it.
    pub(super) fn has_by_now(
        &mut self,
        build: &mut Build,
        lock: LocId,
        place: Option<PlaceId>,
        out: &mut Block,
    ) {
        let id = self.lock_of(lock);
        let missing = Expr::Not(Box::new(Expr::Local(build.has(id))));
        let taken = self.stmt(place, StmtKind::Acquire(id, self.mode_of(lock)));
        out.push(self.stmt(None, StmtKind::If(missing, vec![taken], Vec::new())));
    }

    /// How a lock is held, if that is always the same; shared otherwise, which keeps fewer away.
    fn mode_of(&self, lock: LocId) -> Mode {
        let shared = self.facts.effects.iter().flatten().flatten().any(|step| match &step.action {
            Action::Acquire { locks, mode: Mode::Shared } => locks.contains(&lock),
            _ => false,
        });
        if shared { Mode::Shared } else { Mode::Exclusive }
    }
}

/// Has the locals that say whether the task has a lock say so.
pub(crate) fn follow(emitter: &mut Emitter<'_, '_>) {
    let has = std::mem::take(&mut emitter.has);
    if has.is_empty() {
        return;
    }
    let program = &mut emitter.program;
    let asks: Vec<BTreeSet<LockId>> = (0..program.procs.len() as u32)
        .map(|proc| has.get(&ProcId(proc)).into_iter().flat_map(|has| has.values().copied()).collect())
        .collect();
    let all: BTreeSet<LockId> = asks.iter().flatten().copied().collect();
    let calls = Calls::new(program);
    let below = |of: &dyn Fn(ProcId) -> BTreeSet<LockId>| -> Vec<BTreeSet<LockId>> {
        let reachable = (0..program.procs.len() as u32).map(|proc| calls.reachable(ProcId(proc)));
        reachable.map(|procs| procs.into_iter().flat_map(of).collect()).collect()
    };
    let asked = below(&|proc| asks[proc.index()].clone());
    let changed = below(&|proc| changed_in(&program.proc(proc).body, &all));
    let labels = program.statements().into_iter().map(|stmt| stmt.label.0 + 1).max().unwrap_or_default();
    let mut walk = Follow {
        originals: program.procs.clone(),
        has,
        asked,
        changed,
        labels,
        known: BTreeMap::new(),
        names: &mut emitter.names,
        program,
    };
    for proc in 0..walk.originals.len() {
        if !walk.asked[proc].is_empty() {
            walk.called(ProcId(proc as u32), BTreeSet::new());
        }
    }
}

/// The locks among these that a block takes or gives back.
fn changed_in(block: &Block, among: &BTreeSet<LockId>) -> BTreeSet<LockId> {
    let mut found = BTreeSet::new();
    each(block, &mut |stmt| {
        if let StmtKind::Acquire(lock, _) | StmtKind::Release(lock) = stmt.kind {
            found.extend(among.get(&lock));
        }
    });
    found
}

/// Whether the task has a lock, as far as that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Has {
    /// As where the procedure was called.
    Same,
    Known(bool),
    /// The procedure's local says so, if it has one.
    Unknown,
}

/// What is known of a local.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Is(bool),
    /// It is whether the task has this lock, or (`false`) whether it has not.
    Has(LockId, bool),
}

/// What is known at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Known {
    locks: BTreeMap<LockId, Has>,
    locals: BTreeMap<LocalId, Told>,
}

impl Known {
    /// What is known where two ways meet.
    fn or(mut self, other: Known) -> Known {
        for (lock, has) in &mut self.locks {
            if other.locks.get(lock) != Some(has) {
                *has = Has::Unknown;
            }
        }
        self.locals.retain(|local, told| other.locals.get(local) == Some(told));
        self
    }

    /// Changes what is known of a lock. What is known of locals that said so is what they say.
    fn set(&mut self, lock: LockId, has: Has) {
        let before = self.locks.insert(lock, has);
        self.locals.retain(|_, told| match (*told, before) {
            (Told::Has(of, is), Some(Has::Known(had))) if of == lock => {
                *told = Told::Is(had == is);
                true
            }
            (Told::Has(of, _), _) => of != lock,
            (Told::Is(_), _) => true,
        });
    }

    /// The value of an expression.
    fn told(&self, value: &Expr, own: &BTreeMap<LocalId, LockId>) -> Option<Told> {
        let told = match value {
            Expr::Const(Value::Bool(value)) => Told::Is(*value),
            Expr::Local(local) => match own.get(local) {
                Some(lock) => Told::Has(*lock, true),
                None => *self.locals.get(local)?,
            },
            Expr::Not(inner) => match self.told(inner, own)? {
                Told::Is(value) => Told::Is(!value),
                Told::Has(lock, is) => Told::Has(lock, !is),
            },
            _ => return None,
        };
        match told {
            Told::Has(lock, is) => match self.locks.get(&lock) {
                Some(Has::Known(has)) => Some(Told::Is(*has == is)),
                _ => Some(told),
            },
            Told::Is(_) => Some(told),
        }
    }

    /// What is known where a value is so.
    fn with(&self, value: Option<Told>, so: bool) -> Known {
        let mut known = self.clone();
        if let Some(Told::Has(lock, is)) = value {
            known.locks.insert(lock, Has::Known(is == so));
        }
        known
    }
}

/// Where a procedure returns: nowhere, or with this known.
type Behind = Option<Known>;

/// The procedure that is called, and what is known of the locks behind it.
type Called = (ProcId, BTreeMap<LockId, Has>);

struct Follow<'p> {
    /// The procedures as they were.
    originals: Vec<Proc>,
    has: BTreeMap<ProcId, BTreeMap<LocalId, LockId>>,
    /// By procedure: the locks that it, or what it calls, asks for.
    asked: Vec<BTreeSet<LockId>>,
    /// By procedure: those that it, or what it calls, takes or gives back.
    changed: Vec<BTreeSet<LockId>>,
    labels: u32,
    /// By procedure and the locks that it is called with.
    known: BTreeMap<(ProcId, BTreeSet<LockId>), Called>,
    names: &'p mut BTreeMap<String, u32>,
    program: &'p mut Program,
}

/// The procedure that is being followed.
struct Current {
    /// The locals that say whether the task has a lock.
    own: BTreeMap<LocalId, LockId>,
    locals: Vec<String>,
    /// Locks of which such a local is kept up to date.
    tracked: BTreeSet<LockId>,
    returned: Behind,
}

impl Current {
    /// The local that says whether the task has a lock.
    fn has(&mut self, lock: LockId) -> LocalId {
        if let Some((local, _)) = self.own.iter().find(|(_, of)| **of == lock) {
            return *local;
        }
        let local = LocalId(self.locals.len() as u32);
        self.locals.push(has_name(lock));
        self.own.insert(local, lock);
        local
    }
}

impl Follow<'_> {
    /// Which procedure is called in the place of one, with these of the locks that it asks for held, and what is known behind that.
    fn called(&mut self, proc: ProcId, held: BTreeSet<LockId>) -> Called {
        let key = (proc, held);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let held = &key.1;
        let (asked, changed) = (self.asked[proc.index()].clone(), self.changed[proc.index()].clone());
        let old = self.originals[proc.index()].clone();
        let id = if held.is_empty() {
            proc
        } else {
            let name = unique(self.names, old.name.clone());
            let id = ProcId(self.program.procs.len() as u32);
            self.program.procs.push(Proc { name, body: Vec::new(), ..old.clone() });
            id
        };
        // Where it calls itself, nothing is known.
        let unknown = asked.union(&changed).map(|lock| (*lock, Has::Unknown)).collect();
        self.known.insert(key.clone(), (id, unknown));
        let entry = |lock: LockId| match asked.contains(&lock) {
            true => Has::Known(held.contains(&lock)),
            false => Has::Same,
        };
        let locks = asked.union(&changed).map(|lock| (*lock, entry(*lock))).collect();
        let own = self.has.get(&proc).cloned().unwrap_or_default();
        let mut current = Current { own, locals: old.locals, tracked: asked.clone(), returned: None };
        let mut body = Vec::new();
        for lock in &asked {
            let value = Expr::Const(Value::Bool(held.contains(lock)));
            body.push(self.stmt(StmtKind::SetLocal(current.has(*lock), value)));
        }
        let known = Known { locks, locals: BTreeMap::new() };
        let end = self.block(&old.body, Some(known), &mut current, &mut body);
        if !held.is_empty() {
            each_mut(&mut body, &mut |stmt| {
                stmt.label = Label(self.labels);
                self.labels += 1;
            });
        }
        let new = &mut self.program.procs[id.index()];
        if !asked.is_empty() {
            (new.body, new.locals) = (body, current.locals);
        }
        let behind = either(current.returned, end).map_or_else(BTreeMap::new, |known| known.locks);
        self.known.insert(key, (id, behind.clone()));
        (id, behind)
    }

    fn stmt(&mut self, kind: StmtKind) -> Stmt {
        let label = Label(self.labels);
        self.labels += 1;
        Stmt { label, place: None, basis: None, kind }
    }

    /// Notes in a local what is known of a lock now.
    fn note(&mut self, lock: LockId, has: Has, current: &mut Current, out: &mut Block) {
        let value = match has {
            Has::Same => return,
            Has::Known(has) => Expr::Const(Value::Bool(has)),
            Has::Unknown => Expr::Any,
        };
        if current.tracked.contains(&lock) {
            let local = current.has(lock);
            out.push(self.stmt(StmtKind::SetLocal(local, value)));
        }
    }

    fn block(&mut self, block: &Block, known: Behind, current: &mut Current, out: &mut Block) -> Behind {
        let mut known = known;
        for stmt in block {
            // What follows a `return` is not reached.
            let here = known?;
            known = self.statement(stmt, here, current, out);
        }
        known
    }

    fn statement(&mut self, stmt: &Stmt, mut known: Known, current: &mut Current, out: &mut Block) -> Behind {
        let value = |value: &Expr, known: &Known, current: &Current| match known.told(value, &current.own) {
            Some(Told::Is(is)) => Expr::Const(Value::Bool(is)),
            _ => value.clone(),
        };
        let with = |kind: StmtKind| Stmt { kind, ..stmt.clone() };
        match &stmt.kind {
            StmtKind::Acquire(lock, _) | StmtKind::Release(lock) => {
                out.push(stmt.clone());
                if known.locks.contains_key(lock) {
                    let has = Has::Known(matches!(stmt.kind, StmtKind::Acquire(..)));
                    known.set(*lock, has);
                    self.note(*lock, has, current, out);
                }
            }
            StmtKind::SetLocal(local, of) => {
                let told = known.told(of, &current.own);
                out.push(with(StmtKind::SetLocal(*local, value(of, &known, current))));
                known.locals.remove(local);
                known.locals.extend(told.map(|told| (*local, told)));
            }
            StmtKind::Assume(of) => {
                let told = known.told(of, &current.own);
                out.push(with(StmtKind::Assume(value(of, &known, current))));
                known = known.with(told, true);
            }
            StmtKind::If(of, yes, no) => {
                let told = known.told(of, &current.own);
                let (mut then, mut otherwise) = (Vec::new(), Vec::new());
                let mut side = |so: bool, block: &Block, out: &mut Block| match told {
                    Some(Told::Is(is)) if is != so => None,
                    _ => self.block(block, Some(known.with(told, so)), current, out),
                };
                let (yes, no) = (side(true, yes, &mut then), side(false, no, &mut otherwise));
                out.push(with(StmtKind::If(value(of, &known, current), then, otherwise)));
                return either(yes, no);
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                let (body, behind) = self.repeated(body, known, current);
                let kind = match &stmt.kind {
                    StmtKind::While(of, _) => StmtKind::While(value(of, &behind, current), body),
                    StmtKind::Loop(times, _) => StmtKind::Loop(*times, body),
                    other => other.clone(),
                };
                out.push(with(kind));
                return Some(behind);
            }
            StmtKind::Call { proc, result, .. } => {
                self.call(stmt, *proc, &mut known, current, out);
                result.iter().for_each(|result| _ = known.locals.remove(result));
            }
            StmtKind::Return(_) => {
                out.push(stmt.clone());
                current.returned = either(current.returned.take(), Some(known));
                return None;
            }
            _ => out.push(stmt.clone()),
        }
        Some(known)
    }

    /// Any number of rounds of a loop; what is known in front of each of them, and behind the last.
    fn repeated(&mut self, body: &Block, mut known: Known, current: &mut Current) -> (Block, Known) {
        each(body, &mut |stmt| match &stmt.kind {
            StmtKind::SetLocal(local, _) | StmtKind::Call { result: Some(local), .. } => {
                known.locals.remove(local);
            }
            _ => {}
        });
        loop {
            let mut out = Vec::new();
            let behind = self.block(body, Some(known.clone()), current, &mut out);
            let next = either(Some(known.clone()), behind).unwrap_or_else(|| known.clone());
            if next == known {
                return (out, known);
            }
            known = next;
        }
    }

    /// Calls what does the same with the locks that the task has.
    fn call(&mut self, stmt: &Stmt, proc: ProcId, known: &mut Known, current: &mut Current, out: &mut Block) {
        let asked: Vec<LockId> = self.asked[proc.index()].iter().copied().collect();
        let mut behind: Option<BTreeMap<LockId, Has>> = None;
        let mut called = self.with_locks((stmt, proc), &asked, BTreeSet::new(), known, current, &mut behind);
        out.append(&mut called);
        for (lock, has) in behind.unwrap_or_default() {
            if has != Has::Same {
                known.set(lock, has);
                self.note(lock, has, current, out);
            }
        }
    }

    /// The call of a procedure, of whose locks these are still to be looked at.
    fn with_locks(
        &mut self,
        (stmt, proc): (&Stmt, ProcId),
        left: &[LockId],
        mut held: BTreeSet<LockId>,
        known: &Known,
        current: &mut Current,
        behind: &mut Option<BTreeMap<LockId, Has>>,
    ) -> Block {
        let Some((lock, left)) = left.split_first() else {
            if self.asked[proc.index()].is_empty() && self.changed[proc.index()].is_empty() {
                return vec![stmt.clone()];
            }
            let (callee, after) = self.called(proc, held);
            *behind = Some(match behind.take() {
                None => after,
                Some(before) => {
                    let same = |lock: &LockId| before.get(lock) == after.get(lock);
                    let locks = before.keys().chain(after.keys());
                    locks.map(|lock| (*lock, if same(lock) { after[lock] } else { Has::Unknown })).collect()
                }
            });
            let StmtKind::Call { args, result, .. } = &stmt.kind else { return vec![stmt.clone()] };
            let kind = StmtKind::Call { proc: callee, args: args.clone(), result: *result };
            return vec![Stmt { kind, ..stmt.clone() }];
        };
        match known.locks.get(lock) {
            Some(Has::Known(has)) => {
                held.extend(has.then_some(*lock));
                self.with_locks((stmt, proc), left, held, known, current, behind)
            }
            _ => {
                let has = Expr::Local(current.has(*lock));
                let without = self.with_locks((stmt, proc), left, held.clone(), known, current, behind);
                held.insert(*lock);
                let mut with = self.with_locks((stmt, proc), left, held, known, current, behind);
                each_mut(&mut with, &mut |stmt| {
                    stmt.label = Label(self.labels);
                    self.labels += 1;
                });
                vec![self.stmt(StmtKind::If(has, with, without))]
            }
        }
    }
}

fn either(a: Behind, b: Behind) -> Behind {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.or(b)),
        (a, b) => a.or(b),
    }
}
