//! A replayed violation, as those see it who judge whether it matters: its accesses, in order, and what was held for each.

use std::collections::{BTreeSet, HashMap};

use super::Role;
use crate::ir::passes::callers::{By, doing};
use crate::ir::*;
use crate::semantics::{Access, AccessKind, Signal, Signals};
use crate::witness::{Act, Action, Replayed, Trace};

/// A replayed trace with its accesses.
pub struct Violation<'a> {
    pub(super) program: &'a Program,
    pub(super) trace: &'a Trace,
    pub(super) replayed: &'a Replayed,
    pub(super) held: Vec<Held>,
}

impl<'a> Violation<'a> {
    /// Of a trace of this program, in the order in which it was replayed.
    pub fn of(program: &'a Program, trace: &'a Trace, replayed: &'a Replayed) -> Self {
        Violation { program, trace, replayed, held: Held::of(program, trace, replayed) }
    }

    /// The two accesses of the pivot's event that are torn apart.
    pub(super) fn ends(&self) -> Option<(&Held, &Held)> {
        let exits = [Role::Exit, Role::EntryExit];
        let last = self.with_role(Role::Pivot)?;
        let first =
            self.held.iter().find(|held| exits.contains(&held.role) && held.instance == last.instance)?;
        Some((first, last))
    }

    /// Which of these two is apart from all accesses of others on the cycle that it conflicts with.
    pub(super) fn end_apart(&self, is_apart: impl Fn(&Held, &Held) -> bool) -> Option<&Held> {
        let (first, last) = self.ends()?;
        [first, last].into_iter().find(|end| self.met(end).all(|other| is_apart(end, other)))
    }

    /// The accesses of others on the cycle that an end of the pivot's event conflicts with.
    pub(super) fn met(&self, end: &Held) -> impl Iterator<Item = &Held> {
        let access = end.access;
        let met = move |held: &&Held| held.role != Role::Step && held.access.conflicts(access);
        let instance = end.instance;
        self.held.iter().filter(met).filter(move |held| held.instance != instance)
    }

    /// Whether one of these two is apart from all accesses of others on the cycle that it conflicts with.
    pub(super) fn has_end_apart(&self, is_apart: impl Fn(&Held, &Held) -> bool) -> bool {
        self.end_apart(is_apart).is_some()
    }

    /// Whether all others on the cycle are instances of the pivot's own event.
    pub(super) fn is_with_itself(&self, last: &Held) -> bool {
        let mut on_cycle = self.held.iter().filter(|held| held.role != Role::Step);
        on_cycle.all(|held| self.proc(held) == self.proc(last))
    }

    /// Whether an end of the pivot's event has to do with its own key or object, and the other access with another one, or at another time.
    pub(super) fn is_own(&self, end: &Held, own: Own, theirs: Own) -> bool {
        own.is_other(&theirs) || own.by.is_some() && own.by == theirs.by && self.is_in_turn(end)
    }

    /// Whether nothing of a later one of events that never overlap comes between the ends of the pivot's event, one of which this is. It may
    /// come before what a task does that the pivot's event has started.
    pub(super) fn is_in_turn(&self, end: &Held) -> bool {
        self.with_role(Role::Pivot).is_some_and(|last| last.task == end.task)
    }

    /// Whether all events but the pivot's and another one have done what they do before the pivot's begins.
    pub fn is_of_two(&self) -> bool {
        let Some(last) = self.with_role(Role::Pivot) else { return true };
        let begun = self.held.iter().skip_while(|held| held.instance != last.instance);
        let others: BTreeSet<_> =
            begun.map(|held| held.instance).filter(|instance| *instance != last.instance).collect();
        others.len() <= 1
    }

    /// Whether the event of an access panics, or the process ends, unless that is as expected.
    pub(super) fn insists(&self, held: &Held) -> bool {
        self.basis(held).is_none_or(|basis| basis.asserts || basis.ends)
    }

    /// Whether an access takes back what its event has counted before, in an access like that.
    pub(super) fn counts_out(&self, out: &Held, is_counted: impl Fn(&Held) -> bool) -> bool {
        self.basis(out).is_some_and(|basis| basis.counts.is_some())
            && self.before(out).any(|held| is_counted(held) && self.undoes(out, held))
    }

    /// The access with this role; the first, if there are several.
    pub(super) fn with_role(&self, role: Role) -> Option<&Held> {
        self.held.iter().find(|held| held.role == role)
    }

    /// Whether the pivot begins to wait: that nobody wakes it any more is harm enough.
    pub(super) fn ends_with_wait(&self) -> bool {
        self.with_role(Role::Pivot).is_some_and(|last| self.begins_to_wait(last))
    }

    /// Whether an access is the beginning of a wait.
    pub(super) fn begins_to_wait(&self, held: &Held) -> bool {
        Signals::new(self.program).of(held.access) == Some(Signal::Enlist)
    }

    /// What an access is based on, if the program says so.
    pub(super) fn basis(&self, held: &Held) -> Option<&'a Basis> {
        self.program.bases.get(held.basis?.index())
    }

    /// Whether a change of a variable takes back what an earlier one did, or a part of it: who adds as many as a look has found room for takes
    /// them off one by one.
    pub(super) fn returns_part(&self, (var, change): (VarId, &Basis), done: &Held, look: &Held) -> bool {
        let Some((id, done_basis)) = done.basis.zip(self.basis(done)) else { return false };
        let opposite = change.by.zip(done_basis.by).is_some_and(|(by, done)| by.less != done.less);
        change.undoes.contains(&id) || var == done.access.var && opposite && self.is_counted(done, look)
    }

    /// Whether by how much a number is changed comes out of a look.
    pub(super) fn is_counted(&self, change: &Held, look: &Held) -> bool {
        self.basis(change)
            .zip(look.basis)
            .is_some_and(|(basis, look)| basis.by.is_some() && basis.data.name(look))
    }

    /// Whether all that is done to a variable fills what is filled only once.
    pub(super) fn is_filled_once(&self, var: VarId) -> bool {
        let once = |stmt: &Stmt| self.program.basis_of(stmt).is_some_and(Basis::fills_once);
        self.program.changes_of(var).all(once)
    }

    /// Whether an event hands out a key here, and does nothing else.
    pub(super) fn hands_out(&self, held: &Held) -> bool {
        self.basis(held).is_some_and(|basis| basis.hands_out)
    }

    /// Whether two accesses of one event are made while it has the key that both are about to itself, and has not given it back in between.
    pub(super) fn share_claim(&self, one: &Held, other: &Held) -> bool {
        let claimed = |held: &Held| self.basis(held).and_then(|basis| basis.claimed);
        let removes =
            |held: &Held| self.basis(held).is_some_and(|basis| basis.change == Some(Change::Remove));
        one.instance == other.instance
            && claimed(one).is_some()
            && claimed(one) == claimed(other)
            && !self.between(one, other).any(|held| held.instance == one.instance && removes(held))
    }

    /// Whether an access takes back what an earlier one did.
    pub(super) fn undoes(&self, last: &Held, done: &Held) -> bool {
        self.basis(last).zip(done.basis).is_some_and(|(last, done)| last.undoes.contains(&done))
    }

    /// The accesses of all events before one of them.
    pub(super) fn before<'v>(&'v self, last: &'v Held) -> impl Iterator<Item = &'v Held> {
        self.held.iter().take_while(move |held| !std::ptr::eq(*held, last))
    }

    /// The accesses of all events after one of them.
    pub(super) fn after<'v>(&'v self, first: &'v Held) -> impl Iterator<Item = &'v Held> {
        self.held.iter().skip_while(move |held| !std::ptr::eq(*held, first)).skip(1)
    }

    /// The accesses of all events between two of them.
    pub(super) fn between<'v>(&'v self, first: &'v Held, last: &'v Held) -> impl Iterator<Item = &'v Held> {
        self.after(first).take_while(move |held| !std::ptr::eq(*held, last))
    }

    /// The compare-exchanges that the pivot's event makes between two of its accesses.
    pub(super) fn exchanges_between<'v>(
        &'v self,
        first: &'v Held,
        last: &'v Held,
    ) -> impl Iterator<Item = &'v Held> {
        let own = self.between(first, last).filter(move |held| held.instance == last.instance);
        own.filter(|held| self.basis(held).is_some_and(|basis| basis.exchange))
    }

    /// Whether what two accesses saw is put together anywhere, or nothing is known of that.
    pub(super) fn meet(&self, one: &Held, other: &Held) -> bool {
        self.basis(one).zip(self.basis(other)).is_none_or(|(one, other)| one.meets(other))
    }

    /// Whether what two accesses saw is told together, or nothing is known of that.
    pub(super) fn are_told_together(&self, one: &Held, other: &Held) -> bool {
        self.basis(one).zip(self.basis(other)).is_none_or(|(one, other)| one.is_told_with(other))
    }

    /// Whether what two accesses saw is put together in a decision, or nothing is known of that.
    pub(super) fn decide_together(&self, one: &Held, other: &Held) -> bool {
        self.basis(one).zip(self.basis(other)).is_none_or(|(one, other)| one.is_decided_with(other))
    }

    /// Whether a task started another one, or one that did.
    pub(super) fn starts(&self, task: usize, other: usize) -> bool {
        self.started_at(task, other).is_some()
    }

    /// The statement with which a task started another one, or one that did.
    pub(super) fn started_at(&self, task: usize, other: usize) -> Option<Label> {
        match self.trace.actions[self.start(task, other)?].act {
            Act::Statement { label, .. } => Some(label),
            _ => None,
        }
    }

    /// The same, by its number among the actions.
    fn start(&self, task: usize, other: usize) -> Option<usize> {
        let (tasks, actions) = (&self.trace.tasks, &self.trace.actions);
        let start = |task: usize| tasks.get(task)?.started_by;
        let above = std::iter::successors(start(other), |action| start(actions[*action].task));
        above.take(tasks.len()).find(|action| actions[*action].task == task)
    }

    /// Whether what is called or started by a procedure, itself included, waits anywhere for a task.
    pub(super) fn waits_for_tasks(&self, proc: ProcId) -> bool {
        let is_wait = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Join(_) | StmtKind::Await(_));
        doing(self.program, By::CallsAndTasks, is_wait).contains(&proc)
    }

    /// Whether the task of an access has started another one, or one that did, after that access.
    pub(super) fn starts_later(&self, held: &Held, other: usize) -> bool {
        let is_it = |action: &Action| {
            action.task == held.task
                && matches!(action.act, Act::Statement { label, .. } if label == held.label)
        };
        let start = self.start(held.task, other);
        start.is_some_and(|start| self.trace.actions[..start].iter().any(is_it))
    }

    /// Whether the task of an access waits for the outside again and again.
    pub(super) fn serves(&self, held: &Held) -> bool {
        self.program.proc(self.trace.tasks[held.task].proc).course == Course::Serves
    }

    /// The accesses of other events than that of an access.
    pub(super) fn by_others<'v>(&'v self, held: &'v Held) -> impl Iterator<Item = &'v Held> {
        self.held.iter().filter(move |other| other.instance != held.instance)
    }

    /// Whether another event changes the variable of an access in between.
    pub(super) fn is_changed_by_others(&self, held: &Held) -> bool {
        self.by_others(held).any(|other| !other.reads() && other.access.var == held.access.var)
    }

    /// In how many places of the source a variable is changed without another one in the same critical section, if that is known.
    pub(super) fn changes_without(&self, var: VarId, other: VarId) -> Option<usize> {
        let places = self.program.changed.get(var.index())?;
        Some(places.with.iter().filter(|with| !with.contains(&other)).count())
    }

    /// Of two accesses, one that is to something of which there are many: made again and again, or given to each call anew.
    pub(super) fn recurring<'v>(&self, ends: [&'v Held; 2]) -> Option<&'v Held> {
        let given = |held: &Held| {
            self.basis(held).and_then(|basis| basis.path.as_ref()).is_some_and(|path| path.anew)
        };
        ends.into_iter().find(|held| self.program.vars[held.access.var.index()].recurring || given(held))
    }

    /// The variable of an access.
    pub(super) fn name(&self, held: &Held) -> &'a str {
        &self.program.vars[held.access.var.index()].name
    }

    /// The event of an access.
    pub(super) fn proc(&self, held: &Held) -> ProcId {
        self.trace.tasks[held.instance].proc
    }

    /// Its name.
    pub(super) fn event(&self, held: &Held) -> &'a str {
        &self.program.proc(self.proc(held)).name
    }
}

/// What keeps others out.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Keeper {
    Lock(LockId),
    Executor(ExecId),
}

impl Keeper {
    /// The executor that an event or task runs on, if it has one of its own.
    pub(super) fn executor(program: &Program, proc: ProcId) -> Option<Keeper> {
        match program.proc(proc).kind {
            ProcKind::Event { on: Where::On(executor), .. } | ProcKind::Task { on: Where::On(executor) } => {
                Some(Keeper::Executor(executor))
            }
            _ => None,
        }
    }
}

/// An access, and what was held for it.
pub(super) struct Held {
    pub task: usize,
    pub instance: usize,
    pub role: Role,
    pub label: Label,
    pub access: Access,
    /// Where in the source it is.
    pub place: Option<PlaceId>,
    pub basis: Option<BasisId>,
    /// What it leaves in a truth value, whatever was there.
    pub leaves: Option<bool>,
    /// What was in its variable before, if that is the same in all runs of the schedule.
    pub found: Option<i128>,
    pub by: Vec<Keeper>,
    /// How often its task had begun or gone on.
    turn: usize,
    /// Where its locks were acquired.
    pub since: Vec<Label>,
    /// The critical sections around it, numbered, in the order of these.
    sections: Vec<usize>,
}

impl Held {
    /// Whether it only looks.
    pub fn reads(&self) -> bool {
        self.access.kind == AccessKind::Read
    }

    /// Whether a lock is held for it.
    pub fn is_locked(&self) -> bool {
        self.by.iter().any(|keeper| matches!(keeper, Keeper::Lock(_)))
    }

    /// Where the locks were acquired that are held for another access, too, but in other critical sections.
    pub fn since_anew<'h>(&'h self, other: &'h Held) -> impl Iterator<Item = Label> + 'h {
        let own = self.since.iter().zip(&self.sections);
        let anew = |(label, section): &(&Label, &usize)| {
            let mut theirs = other.since.iter().zip(&other.sections);
            theirs.any(|(other, again)| other == *label && again != *section)
        };
        own.filter(anew).map(|(label, _)| *label)
    }

    /// Whether all critical sections around it are around another access, too.
    pub fn is_kept_for(&self, other: &Held) -> bool {
        self.sections.iter().all(|section| other.sections.contains(section))
    }

    /// Whether two accesses are in one critical section.
    pub fn is_in_section_of(&self, other: &Held) -> bool {
        self.instance == other.instance
            && (std::ptr::eq(self, other)
                || self.sections.iter().any(|section| other.sections.contains(section)))
    }

    /// Whether two accesses are in one critical section, or in one turn of a task that has its executor to itself.
    pub fn is_at_once_with(&self, other: &Held) -> bool {
        let executor = |by: &&Keeper| matches!(by, Keeper::Executor(_));
        self.is_in_section_of(other)
            || self.instance == other.instance
                && self.task == other.task
                && self.turn == other.turn
                && self.by.iter().filter(executor).any(|by| other.by.contains(by))
    }

    /// The accesses of a schedule.
    fn of(program: &Program, trace: &Trace, replayed: &Replayed) -> Vec<Held> {
        let statements: HashMap<Label, &Stmt> =
            program.statements().into_iter().map(|statement| (statement.label, statement)).collect();
        let mut locked: Vec<Vec<(LockId, Label, usize)>> = vec![Vec::new(); trace.tasks.len()];
        let mut turns = vec![0; trace.tasks.len()];
        let mut all = Vec::new();
        let actions = replayed.order.iter().map(|&action| &trace.actions[action]);
        for (number, (action, found)) in actions.zip(&replayed.found).enumerate() {
            turns[action.task] += usize::from(matches!(action.act, Act::Begin));
            let Act::Statement { label, access, .. } = action.act else { continue };
            let locked = &mut locked[action.task];
            let statement = statements.get(&label);
            match statement.map(|statement| &statement.kind) {
                Some(StmtKind::Acquire(lock, _)) => locked.push((*lock, label, number)),
                Some(StmtKind::Release(lock)) => {
                    let at = locked.iter().rposition(|(other, ..)| other == lock);
                    at.map(|at| locked.remove(at));
                }
                _ => {}
            }
            let Some(access) = access else { continue };
            let task = &trace.tasks[action.task];
            let real = locked.iter().filter(|(lock, ..)| !program.locks[lock.index()].is_ghost());
            let locks = real.map(|(lock, ..)| Keeper::Lock(*lock));
            all.push(Held {
                task: action.task,
                instance: task.instance,
                role: action.role,
                label,
                access,
                place: statement.and_then(|statement| statement.place),
                basis: statement.and_then(|statement| statement.basis),
                leaves: statement.and_then(|statement| super::silent::left(program, statement)),
                found: *found,
                by: locks.chain(Keeper::executor(program, task.proc)).collect(),
                turn: turns[action.task],
                since: locked.iter().map(|(_, label, _)| *label).collect(),
                sections: locked.iter().map(|(.., section)| *section).collect(),
            });
        }
        all
    }
}
