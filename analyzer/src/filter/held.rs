//! Which locks a task holds at each of its accesses, whatever path it takes, which accesses lie in one section, and which
//! on different sides of a branch.

use std::collections::{BTreeMap, BTreeSet};

use crate::ir::calls::Calls;
use crate::ir::walk::each;
use crate::ir::*;
use crate::semantics::{Access, AccessKind};

/// Longer tasks are not walked: nothing is known of their locks then.
const MAX_STATEMENTS: usize = 20_000;
const MAX_DEPTH: usize = 64;
/// What is changed together is not found out for tasks with more changes.
const MAX_CHANGES: usize = 2_000;

/// Where in a task an access is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Context {
    /// The locks that are held there.
    pub locks: Locks,
    /// The branches around it, outermost first: which one, and on which side of it.
    sides: Vec<((ProcId, u32), bool)>,
}

impl Context {
    /// Whether a task can come by here and there in one run.
    pub fn together_with(&self, other: &Context) -> bool {
        let apart = |(mine, theirs): (&(_, bool), &(_, bool))| mine.0 == theirs.0 && mine.1 != theirs.1;
        !self.sides.iter().zip(&other.sides).any(apart)
    }

    /// The same, where many tasks run the same text.
    pub fn of_many(mut self) -> Context {
        self.locks.0.values_mut().for_each(|section| section.number = None);
        Context { sides: Vec::new(), ..self }
    }
}

/// The locks that a task holds at an access.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Locks(BTreeMap<LockId, Section>);

/// A stretch between acquisition and release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Section {
    mode: Mode,
    /// Which one, in which task; `None` when the program text does not tell (a loop has many).
    number: Option<(ProcId, u32)>,
}

impl Locks {
    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (LockId, Mode)> + '_ {
        self.0.iter().map(|(lock, section)| (*lock, section.mode))
    }

    /// The sections that the program text tells apart.
    fn sections(&self) -> impl Iterator<Item = (LockId, (ProcId, u32))> + '_ {
        self.0.iter().filter_map(|(lock, section)| Some((*lock, section.number?)))
    }

    /// Locks that are held without a gap from this access to the other, or the other way round.
    pub fn throughout<'l>(&'l self, other: &'l Locks) -> impl Iterator<Item = (LockId, Mode)> + 'l {
        let same = |(lock, section): &(&LockId, &Section)| {
            section.number.is_some() && other.0.get(*lock).is_some_and(|o| o.number == section.number)
        };
        self.0.iter().filter(same).map(|(lock, section)| (*lock, section.mode))
    }

    /// Whether who holds the lock in this mode keeps away who is here.
    pub fn excluded_by(&self, (lock, mode): (LockId, Mode)) -> bool {
        let together = |section: &Section| section.mode == Mode::Shared && mode == Mode::Shared;
        self.0.get(&lock).is_some_and(|section| !together(section))
    }
}

/// The tasks of a program, to be walked one after the other.
pub(crate) struct Tasks<'p> {
    program: &'p Program,
    /// By procedure: whether it may come to call itself.
    recursive: Vec<bool>,
}

impl<'p> Tasks<'p> {
    pub fn new(program: &'p Program) -> Tasks<'p> {
        Tasks { program, recursive: Calls::new(program).recursive() }
    }

    /// The accesses of a task, calls included, each twice when it may happen more than once. `None`: too many.
    pub fn accesses(&self, task: ProcId) -> Option<Vec<(Access, Context)>> {
        Some(self.walked(task)?.into_iter().map(|found| (found.access, found.context)).collect())
    }

    fn walked(&self, task: ProcId) -> Option<Vec<Found>> {
        let mut walk = Walk {
            program: self.program,
            recursive: &self.recursive,
            again: BTreeSet::new(),
            task,
            found: Vec::new(),
            returned: Vec::new(),
            sections: 0,
            sides: Vec::new(),
            branches: 0,
            loops: 0,
            exits: Vec::new(),
            fuel: MAX_STATEMENTS,
        };
        walk.call(task, Locks::default())?;
        Some(walk.found)
    }
}

/// In how many places of the text what a lock guards is accessed while a task does not hold it, as far as the program says and there
/// is time.
pub(crate) fn unguarded(program: &Program, is_late: impl Fn() -> bool) -> u64 {
    let tasks = (0..program.procs.len() as u32).map(ProcId);
    let tasks = tasks.filter(|task| !matches!(program.proc(*task).kind, ProcKind::Proc));
    let (all, mut found) = (Tasks::new(program), BTreeSet::new());
    for access in tasks.take_while(|_| !is_late()).filter_map(|task| all.walked(task)).flatten() {
        let var = access.access.var;
        let guard = program.vars[var.index()].guard;
        let is_held = |lock: LockId| access.context.locks.iter().any(|(held, _)| held == lock);
        if guard.is_some_and(|lock| !is_held(lock)) {
            found.insert((access.place, var));
        }
    }
    found.len() as u64
}

/// An access that a task makes.
struct Found {
    access: Access,
    place: Option<PlaceId>,
    context: Context,
}

/// How the variables of a program are changed, and in how many events and tasks there was too much to be looked at: what these change may be
/// changed with nothing else. `None` when there is too little time.
pub(crate) fn changed(program: &Program, is_late: impl Fn() -> bool) -> Option<(Vec<Changed>, usize)> {
    let is_task = |proc: &ProcId| matches!(program.proc(*proc).kind, ProcKind::Task { .. });
    let tasks = (0..program.procs.len() as u32).map(ProcId).filter(is_task);
    let mut at: BTreeMap<(VarId, Option<PlaceId>), BTreeSet<VarId>> = BTreeMap::new();
    let mut changed = vec![Changed::default(); program.vars.len()];
    let (calls, mut left_out) = (Calls::new(program), 0);
    let all = Tasks { program, recursive: calls.recursive() };
    for task in program.events().chain(tasks) {
        if is_late() {
            return None;
        }
        let found = all.walked(task);
        let alone = matches!(program.proc(task).kind, ProcKind::Event { alone: true, .. });
        let counts = |var: &VarId| !is_task(&task) && (alone || !program.vars[var.index()].own);
        if !is_task(&task) {
            let accessed = found.as_ref().map_or_else(
                || accessed_in(program, &calls, task, |_| true),
                |found| found.iter().map(|found| found.access.var).collect(),
            );
            accessed.into_iter().filter(counts).for_each(|var| changed[var.index()].users += 1);
        }
        let changes = found.map(|mut found| {
            found.retain(|found| found.access.kind != AccessKind::Read);
            found
        });
        let Some(changes) = changes.filter(|changes| changes.len() <= MAX_CHANGES) else {
            left_out += 1;
            for var in accessed_in(program, &calls, task, |kind| kind != AccessKind::Read) {
                changed[var.index()].events += u32::from(counts(&var));
                at.insert((var, None), BTreeSet::new());
            }
            continue;
        };
        if !is_task(&task) {
            let vars: BTreeSet<VarId> = changes.iter().map(|change| change.access.var).collect();
            vars.into_iter().filter(counts).for_each(|var| changed[var.index()].events += 1);
        }
        // What lies in one section of a lock; the text tells which are one.
        let mut within: BTreeMap<(LockId, (ProcId, u32)), BTreeSet<VarId>> = BTreeMap::new();
        for change in &changes {
            for section in change.context.locks.sections() {
                within.entry(section).or_default().insert(change.access.var);
            }
        }
        for change in &changes {
            let beside = change.context.locks.sections().filter_map(|section| within.get(&section));
            let with: BTreeSet<VarId> = beside.flatten().copied().collect();
            let all = at.entry((change.access.var, change.place)).or_insert_with(|| with.clone());
            all.retain(|var| with.contains(var));
        }
    }
    for ((var, _), with) in at {
        changed[var.index()].with.push(with);
    }
    Some((changed, left_out))
}

/// The variables that a task accesses in one of these ways, or what it calls.
fn accessed_in(
    program: &Program,
    calls: &Calls,
    task: ProcId,
    is_meant: impl Fn(AccessKind) -> bool,
) -> BTreeSet<VarId> {
    let procs = calls.reachable(task).into_iter().map(|proc| program.proc(proc));
    let accesses = procs.flat_map(Proc::statements).filter_map(|stmt| access(&stmt.kind));
    accesses.filter(|access| is_meant(access.kind)).map(|access| access.var).collect()
}

struct Walk<'p> {
    program: &'p Program,
    recursive: &'p [bool],
    /// The calls within recursion that were walked, or are under way, with what was held there. Chains of them are as many as there are
    /// orders of those that call one another, and all do the same.
    again: BTreeSet<(ProcId, Vec<(LockId, Mode)>)>,
    task: ProcId,
    found: Vec<Found>,
    /// For each call under way, what is held where it returns.
    returned: Vec<Behind>,
    sections: u32,
    /// The branches that are being walked. Those in loops may go either way in each round, and are left out.
    sides: Vec<((ProcId, u32), bool)>,
    branches: u32,
    loops: u32,
    /// The loops under way that are left where a local is set, innermost last: that local, and what is held there.
    exits: Vec<(LocalId, Behind)>,
    fuel: usize,
}

/// What is held behind a block on the paths that go on, if any does.
type Behind = Option<Locks>;

impl Walk<'_> {
    /// `None` when the walk is given up.
    fn block(&mut self, block: &Block, before: Locks) -> Option<Behind> {
        let mut held = Some(before);
        for (number, stmt) in block.iter().enumerate() {
            self.fuel = self.fuel.checked_sub(1)?;
            // What follows a `return` is not reached, but may be listed: nothing is held there.
            let here = held.clone().unwrap_or_default();
            held = match left_by(stmt, number.checked_sub(1).map(|before| &block[before])) {
                Some((local, body)) => self.left(local, body, here)?,
                None => self.stmt(stmt, here)?,
            };
        }
        Some(held)
    }

    fn stmt(&mut self, stmt: &Stmt, mut held: Locks) -> Option<Behind> {
        match &stmt.kind {
            StmtKind::Acquire(lock, mode) => {
                self.sections += 1;
                let number = (self.loops == 0).then_some((self.task, self.sections));
                // Not re-entrant: who has it already goes no further.
                held.0.insert(*lock, Section { mode: *mode, number });
            }
            StmtKind::Release(lock) => drop(held.0.remove(lock)),
            StmtKind::If(_, a, b) => {
                self.branches += 1;
                let branch = (self.task, self.branches);
                let (a, b) = (self.side(branch, true, a, held.clone())?, self.side(branch, false, b, held)?);
                return Some(both(a, b));
            }
            StmtKind::While(_, body) | StmtKind::Loop(_, body) => {
                return self.repeated(body, held, None).map(|(held, _)| Some(held));
            }
            StmtKind::Call { proc, .. } => {
                return self.call(*proc, held);
            }
            StmtKind::SetLocal(local, _) if self.exits.last().is_some_and(|(exit, _)| exit == local) => {
                if let Some((_, behind)) = self.exits.last_mut() {
                    *behind = both(behind.take(), Some(held));
                }
                return Some(None);
            }
            StmtKind::Return(_) => {
                if let Some(returned) = self.returned.last_mut() {
                    *returned = both(returned.take(), Some(held));
                }
                return Some(None);
            }
            kind => {
                if let Some(access) = access(kind) {
                    let times = if self.loops > 0 { 2 } else { 1 };
                    for _ in 0..times {
                        let context = Context { locks: held.clone(), sides: self.sides.clone() };
                        self.found.push(Found { access, place: stmt.place, context });
                    }
                }
            }
        }
        Some(Some(held))
    }

    /// One side of a branch.
    fn side(&mut self, branch: (ProcId, u32), side: bool, block: &Block, before: Locks) -> Option<Behind> {
        if self.loops > 0 {
            return self.block(block, before);
        }
        self.sides.push((branch, side));
        let behind = self.block(block, before)?;
        self.sides.pop();
        Some(behind)
    }

    fn call(&mut self, proc: ProcId, before: Locks) -> Option<Behind> {
        if self.recursive[proc.index()] && !self.again.insert((proc, before.iter().collect())) {
            return Some(Some(before));
        }
        if self.returned.len() >= MAX_DEPTH {
            return None;
        }
        let rounds = u32::from(self.recursive[proc.index()]);
        self.loops += rounds;
        self.returned.push(None);
        // Its locals are others.
        let exits = std::mem::take(&mut self.exits);
        let end = self.block(&self.program.proc(proc).body, before)?;
        self.exits = exits;
        self.loops -= rounds;
        let returned = self.returned.pop().flatten();
        Some(both(end, returned))
    }

    /// A loop that is left where a local is set, and nowhere else. What is held there is held behind it.
    fn left(&mut self, local: LocalId, body: &Block, before: Locks) -> Option<Behind> {
        let (_, mut behind) = self.repeated(body, before, Some(local))?;
        // From here on a section that began in some round is one.
        if self.loops == 0
            && let Some(held) = &mut behind
        {
            for section in held.0.values_mut().filter(|section| section.number.is_none()) {
                self.sections += 1;
                section.number = Some((self.task, self.sections));
            }
        }
        Some(behind)
    }

    /// A loop's body: what is held whenever a round begins, and where this local is set.
    fn repeated(&mut self, body: &Block, mut held: Locks, exit: Option<LocalId>) -> Option<(Locks, Behind)> {
        self.loops += 1;
        let (found, again) = (self.found.len(), self.again.clone());
        let held = loop {
            self.found.truncate(found);
            self.again.clone_from(&again);
            self.exits.extend(exit.map(|local| (local, None)));
            let behind = self.block(body, held.clone())?;
            let left = exit.and_then(|_| self.exits.pop()?.1);
            let next = both(behind, Some(held.clone())).unwrap_or_default();
            if next == held {
                break (held, left);
            }
            held = next;
        };
        self.loops -= 1;
        Some(held)
    }
}

/// The local that tells whether a loop goes on, and the loop's body, if the loop begins with the statement before it, and ends nowhere but at the
/// end of a round that has set the local.
fn left_by<'p>(stmt: &'p Stmt, before: Option<&Stmt>) -> Option<(LocalId, &'p Block)> {
    let StmtKind::While(Expr::Binary(BinOp::Eq, on, goes_on), body) = &stmt.kind else { return None };
    let (Expr::Local(local), Expr::Const(_)) = (&**on, &**goes_on) else { return None };
    let StmtKind::SetLocal(set, first) = &before?.kind else { return None };
    let mut all = 0;
    each(body, &mut |stmt| {
        all += usize::from(matches!(stmt.kind, StmtKind::SetLocal(set, _) if set == *local))
    });
    (set == local && *first == **goes_on && set_last(body, *local, goes_on) == all).then_some((*local, body))
}

/// In how many places a local is set to something else than this, where nothing comes behind that in a block.
fn set_last(block: &Block, local: LocalId, but: &Expr) -> usize {
    match block.last().map(|last| &last.kind) {
        Some(StmtKind::SetLocal(set, to)) if *set == local => {
            usize::from(matches!(to, Expr::Const(_)) && to != but)
        }
        Some(StmtKind::If(_, yes, no)) => set_last(yes, local, but) + set_last(no, local, but),
        _ => 0,
    }
}

/// What is held on both of two paths.
fn both(a: Behind, b: Behind) -> Behind {
    match (a, b) {
        (Some(mut a), Some(b)) => {
            a.0.retain(|lock, section| b.0.get(lock) == Some(section));
            Some(a)
        }
        (a, b) => a.or(b),
    }
}

/// The access that a statement of a flattened program is.
fn access(kind: &StmtKind) -> Option<Access> {
    let (var, kind) = match kind {
        StmtKind::Read(var) | StmtKind::SetLocal(_, Expr::Var(var)) => (*var, AccessKind::Read),
        StmtKind::Write(var) | StmtKind::SetVar(var, _) => (*var, AccessKind::Write),
        StmtKind::Update(var, class) => (*var, AccessKind::Update(*class)),
        _ => return None,
    };
    Some(Access { var, kind })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::text;

    /// What is held behind a loop is what is held where it is left.
    #[test]
    fn a_loop_is_left_where_its_local_is_set() {
        let unguarded = |rounds: &str| {
            let text = format!(
                "lock l; var x; event e on any {{ left := 0; while left == 0 {{ acquire l; read x; {rounds} }} write x; release l; }}"
            );
            let mut program = text::parse(&text, "test.rob").unwrap();
            program.vars[0].guard = Some(LockId(0));
            super::unguarded(&program, || false)
        };
        assert_eq!(unguarded("if * { release l; } else { left := 1; }"), 0);
        assert_eq!(unguarded("if * { left := 2; } else { left := 1; }"), 0);
        assert_eq!(unguarded("if * { left := 2; } else { while * { read x; } left := 1; }"), 0);
        let inner = "if * { release l; left := 2; } else { while * { read x; } left := 1; }";
        assert_eq!(unguarded(inner), 1, "a loop within says nothing of where this one is left");
        assert_eq!(unguarded("release l; if * { left := 1; }"), 1, "it is given back on that way");
        assert_eq!(unguarded("if * { left := 1; } release l;"), 1, "something comes behind it");
        assert_eq!(unguarded("if * { release l; } else { left := *; }"), 1, "it may be set to the same");
    }

    /// Each of a dozen calls all of them: there are more chains of calls than anybody can walk.
    #[test]
    fn calls_in_turn_are_walked_once() {
        let calls: String = (0..12).map(|n| format!("if * {{ call p{n}(); }} ")).collect();
        let procs: String = (0..12)
            .map(|n| format!("proc p{n}() {{ acquire l; write x{n}; write y; release l; {calls} }} "))
            .collect();
        let vars: String = (0..12).map(|n| format!("var x{n}; ")).collect();
        let text = format!("lock l; var y; {vars} {procs} event e on any {{ call p0(); }}");
        let program = text::parse(&text, "test.rob").unwrap();
        let (changed, left_out) = changed(&program, || false).unwrap();
        assert_eq!(left_out, 0);
        assert!(changed.iter().all(|var| var.events == 1), "all are changed");
    }

    #[test]
    fn what_is_changed_together_is_known_or_said_not_to_be() {
        let program = |writes: usize| {
            let writes = "write x; write y; ".repeat(writes);
            let text = format!(
                "var x; var y; lock l; event e on any {{ acquire l; {writes} release l; }} event f on any {{ write x; }}"
            );
            text::parse(&text, "test.rob").unwrap()
        };
        let (changed, left_out) = changed(&program(1), || false).unwrap();
        assert_eq!(left_out, 0);
        assert_eq!(changed.iter().map(|var| var.events).collect::<Vec<_>>(), [2, 1]);
        assert!(super::changed(&program(1), || true).is_none(), "there is no time");
        let (much, left_out) = super::changed(&program(MAX_CHANGES), || false).unwrap();
        assert_eq!(left_out, 1, "there is too much of it");
        assert_eq!(much[0].with, vec![BTreeSet::new(); 2], "it may be changed alone");
    }
}
