//! What cannot be violated whatever the schedule, from static conflicts alone. Sound: it never removes a violation
//! (a property test compares it with the oracle).

pub(crate) mod held;
mod pairs;

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use petgraph::unionfind::UnionFind;

use crate::ir::*;
use crate::limits::Allowance;
use crate::semantics::{Access, AccessKind, Code, Machine, Op, Signals};
use held::{Context, Locks};
pub use pairs::Pairs;

/// The static accesses of a program's tasks.
pub struct Filter {
    events: Vec<EventAccesses>,
    /// Where each event is in that list.
    index: HashMap<ProcId, usize>,
    signals: Signals,
}

struct EventAccesses {
    event: ProcId,
    once: bool,
    /// It does not happen beside others: it waits for what nobody ever does, or is about itself alone.
    never: bool,
    /// By body: its own accesses, one entry per statement, twice where it may run more than once in a task.
    by_task: Vec<(Vec<Located>, Multiplicity)>,
    guard: Option<Access>,
}

/// Events with more accesses than this may be torn apart, as far as is said here.
const MOST: usize = 2000;

/// Bytes that an access takes, with the locks at it.
const ACCESS: usize = 256;

/// An access, and where in its task it is.
type Located = (Access, Context);

/// How many tasks of an event may run a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Multiplicity {
    One,
    Many,
}

impl Filter {
    /// Collects the accesses of every event of a program; none when they take more than is allowed.
    pub fn new(machine: &Machine, allowance: &mut Allowance) -> Option<Filter> {
        let program = &machine.program;
        let codes: Vec<Code> = program.procs.iter().map(Code::new).collect();
        let all = held::Tasks::new(program);
        let ops = codes.iter().flat_map(|code| &code.ops).filter_map(|(op, _)| op.access());
        let set: BTreeSet<VarId> =
            ops.filter(|access| access.kind != AccessKind::Read).map(|access| access.var).collect();
        let events = program.events().map(|event| {
            let (once, alone, guard) = match program.proc(event).kind {
                ProcKind::Event { once, alone, guard, .. } => (once, alone, guard),
                _ => (false, false, None),
            };
            let never_set =
                |var: VarId| program.vars[var.index()].is_first(Value::Bool(false)) && !set.contains(&var);
            let never = alone || guard.is_some_and(never_set);
            let guard = guard.map(|var| Access { var, kind: AccessKind::Read });
            let event = EventAccesses { event, once, never, by_task: tasks_of(event, &all, &codes), guard };
            let accesses: usize = event.by_task.iter().map(|(accesses, _)| accesses.len()).sum();
            allowance.take(accesses * ACCESS).then_some(event)
        });
        let events: Vec<EventAccesses> = events.collect::<Option<_>>()?;
        let index = events.iter().enumerate().map(|(i, event)| (event.event, i)).collect();
        Some(Filter { events, index, signals: Signals::new(program) })
    }

    /// Whether two tasks of the event have conflicting accesses.
    pub fn may_be_nondeterministic(&self, event: ProcId) -> bool {
        let Some(event) = self.index.get(&event).map(|&i| &self.events[i]) else { return false };
        let mut touched: HashMap<VarId, Vec<(AccessKind, Touching)>> = HashMap::new();
        for (task, (accesses, count)) in event.by_task.iter().enumerate() {
            let many = *count == Multiplicity::Many;
            for (access, _) in accesses.iter().filter(|(access, _)| self.signals.of(*access).is_none()) {
                let kinds = touched.entry(access.var).or_default();
                match kinds.iter_mut().find(|(kind, _)| *kind == access.kind) {
                    Some((_, tasks)) => tasks.add(task, many),
                    None => kinds.push((access.kind, Touching { first: task, several: many })),
                }
            }
        }
        touched.into_iter().any(|(var, kinds)| {
            let access = |kind| Access { var, kind };
            kinds.iter().enumerate().any(|(i, (one, tasks))| {
                let conflicting =
                    kinds[i..].iter().filter(|(other, _)| access(*one).conflicts(access(*other)));
                conflicting.into_iter().any(|(_, others)| tasks.beside(others))
            })
        })
    }

    /// The groups of events that share variables on which some event has two accesses that conflict with others and that these
    /// can come between: only they can be on a cycle, and no cycle leaves its group. What guards an event belongs to its group.
    /// None when that takes more than is allowed.
    pub fn groups(&self, allowance: &mut Allowance) -> Option<Vec<Vec<ProcId>>> {
        // What never happens takes part in nothing.
        let mut accesses = |event: &EventAccesses| {
            let all = if event.never { Vec::new() } else { event.all() };
            allowance.take(all.len() * ACCESS).then_some(all)
        };
        let all: Vec<Vec<Located>> = self.events.iter().map(&mut accesses).collect::<Option<_>>()?;
        let users = Users::of(all.iter().enumerate());
        let mut sets = UnionFind::<usize>::new(self.events.len());
        for ways in users.by_var.values() {
            if !allowance.take(0) {
                return None;
            }
            // By kind of access: somebody who has it, with whom all who have it and what conflicts with it hang together.
            let mut kinds: Vec<(Access, usize)> = Vec::new();
            let conflicts = |access: Access| ways.iter().any(|((other, _), _)| other.conflicts(access));
            for ((access, _), those) in ways.iter().filter(|((access, _), _)| conflicts(*access)) {
                let first = match kinds.iter().find(|(kind, _)| kind == access) {
                    Some((_, first)) => *first,
                    None => {
                        kinds.push((*access, those[0]));
                        those[0]
                    }
                };
                those.iter().for_each(|&event| _ = sets.union(first, event));
            }
            for (i, (one, first)) in kinds.iter().enumerate() {
                let conflicting = kinds[i..].iter().filter(|(other, _)| one.conflicts(*other));
                conflicting.into_iter().for_each(|(_, other)| _ = sets.union(*first, *other));
            }
        }
        // Guards are no conflicts, but who writes them decides what can run.
        let mut guarded: HashMap<Access, usize> = HashMap::new();
        for (i, guard) in self.events.iter().enumerate().filter_map(|(i, e)| Some((i, e.guard?))) {
            match guarded.entry(guard) {
                Entry::Occupied(writer) => {
                    sets.union(i, *writer.get());
                }
                Entry::Vacant(first) => {
                    let writers = users.partners(guard);
                    writers.iter().for_each(|&writer| {
                        sets.union(i, writer);
                    });
                    writers.first().map(|&writer| first.insert(writer));
                }
            }
        }
        // Where there is no time to find out, it can be; the plan as a whole is then given up.
        let mut torn = |i: usize| {
            let others = |access| users.others(access, i, self.events[i].once);
            !allowance.take(0) || can_be_torn(&all[i], &self.signals, others)
        };
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        (0..self.events.len()).for_each(|i| groups.entry(sets.find(i)).or_default().push(i));
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort();
        groups.retain(|group| group.iter().any(|&i| torn(i)));
        let events = |group: Vec<usize>| group.into_iter().map(|i| self.events[i].event).collect();
        let groups = groups.into_iter().map(events).collect();
        allowance.take(0).then_some(groups)
    }
}

/// Whether others can come between two accesses of an event: the delayed event's exit and its pivot. They cannot when a lock
/// is held from one to the other that all have to take who conflict with the exit, nor when no run has both. `others` are the
/// locks of those who conflict with an access.
fn can_be_torn<'a, I: Iterator<Item = &'a Locks>>(
    own: &[Located],
    signals: &Signals,
    others: impl Fn(Access) -> I,
) -> bool {
    let exposed: Vec<&Located> = own.iter().filter(|(access, _)| others(*access).next().is_some()).collect();
    if exposed.len() > MOST {
        return true;
    }
    exposed.iter().enumerate().filter(|(_, (exit, _))| signals.may_be_exit(*exit)).any(|(i, (exit, here))| {
        let keeps_away = |lock: &(LockId, Mode)| others(*exit).all(|other| other.excluded_by(*lock));
        let keeping: Vec<(LockId, Mode)> = here.locks.iter().filter(keeps_away).collect();
        exposed.iter().enumerate().any(|(j, (pivot, at_pivot))| {
            let kept = || here.locks.throughout(&at_pivot.locks).any(|lock| keeping.contains(&lock));
            i != j && signals.may_be_pivot(*pivot) && here.together_with(at_pivot) && !kept()
        })
    })
}

/// By variable: the ways in which it is accessed, each with the events that do so, in ascending order.
struct Users {
    by_var: HashMap<VarId, Vec<(Located, Vec<usize>)>>,
}

impl Users {
    fn of<'a>(events: impl Iterator<Item = (usize, &'a Vec<Located>)>) -> Users {
        let mut by_way: HashMap<Located, Vec<usize>> = HashMap::new();
        for (i, accesses) in events {
            for (access, context) in accesses {
                // Where a lock was taken makes no difference to others.
                let users = by_way.entry((*access, context.clone().of_many())).or_default();
                if users.last() != Some(&i) {
                    users.push(i);
                }
            }
        }
        let mut by_var: HashMap<VarId, Vec<(Located, Vec<usize>)>> = HashMap::new();
        for (way, users) in by_way {
            by_var.entry(way.0.var).or_default().push((way, users));
        }
        Users { by_var }
    }

    fn conflicting(&self, access: Access) -> impl Iterator<Item = &(Located, Vec<usize>)> {
        let ways = self.by_var.get(&access.var).into_iter().flatten();
        ways.filter(move |((other, _), _)| other.conflicts(access))
    }

    /// The events with a conflicting access, in ascending order.
    fn partners(&self, access: Access) -> BTreeSet<usize> {
        self.conflicting(access).flat_map(|(_, users)| users).copied().collect()
    }

    /// The locks at accesses that conflict with one of the `i`-th event: of other events, and of other instances if it does not
    /// come only `once`.
    fn others(&self, access: Access, i: usize, once: bool) -> impl Iterator<Item = &Locks> {
        let other = move |(_, users): &&(Located, Vec<usize>)| !once || *users != [i];
        self.conflicting(access).filter(other).map(|((_, context), _)| &context.locks)
    }
}

impl EventAccesses {
    fn all(&self) -> Vec<Located> {
        let many = |accesses: &[Located]| -> Vec<Located> {
            let apart = accesses.iter().cloned().map(|(access, context)| (access, context.of_many()));
            apart.flat_map(|located| [located.clone(), located]).collect()
        };
        let tasks = self.by_task.iter();
        tasks
            .flat_map(|(own, count)| if *count == Multiplicity::Many { many(own) } else { own.clone() })
            .collect()
    }
}

/// The tasks of an event with a kind of access to a variable.
struct Touching {
    first: usize,
    /// There are others, or many tasks run the body of the first.
    several: bool,
}

impl Touching {
    fn add(&mut self, task: usize, many: bool) {
        self.several |= many || task != self.first;
    }

    /// Whether there is one of these and another one of those.
    fn beside(&self, others: &Touching) -> bool {
        self.several || others.several || self.first != others.first
    }
}

/// The tasks of an event with their accesses, calls included.
fn tasks_of(event: ProcId, all: &held::Tasks<'_>, codes: &[Code]) -> Vec<(Vec<Located>, Multiplicity)> {
    let mut found: Vec<(ProcId, Multiplicity)> = vec![(event, Multiplicity::One)];
    let mut tasks = Vec::new();
    let mut at = 0;
    while at < found.len() {
        let (task, this) = (found[at].0, at);
        at += 1;
        let mut accesses: Vec<Located> = Vec::new();
        for (op, repeated) in operations(task, codes) {
            let times = if repeated { 2 } else { 1 };
            let located = op.access().map(|access| (access, Context::default()));
            accesses.extend(std::iter::repeat_n(located, times).flatten());
            if let Op::Async(child, ..) = op {
                match found.iter_mut().find(|(known, _)| known == child) {
                    // Started at two places, or again: its own children are many as well.
                    Some(entry) => {
                        let grew = entry.1 == Multiplicity::One;
                        entry.1 = Multiplicity::Many;
                        if grew {
                            mark_children(*child, codes, &mut found);
                        }
                    }
                    None => {
                        // Looked up here: a task that starts itself turns out to be many on the way.
                        let many = repeated || found[this].1 == Multiplicity::Many;
                        found.push((*child, if many { Multiplicity::Many } else { Multiplicity::One }));
                    }
                }
            }
        }
        tasks.push(all.accesses(task).unwrap_or(accesses));
    }
    tasks.into_iter().zip(found).map(|(accesses, (_, many))| (accesses, many)).collect()
}

/// The tasks that many instances of a task start are many.
fn mark_children(task: ProcId, codes: &[Code], found: &mut [(ProcId, Multiplicity)]) {
    let mut open = vec![task];
    let mut seen = HashSet::from([task]);
    while let Some(task) = open.pop() {
        for (op, _) in operations(task, codes) {
            if let Op::Async(child, ..) = op
                && seen.insert(*child)
            {
                found
                    .iter_mut()
                    .filter(|(known, _)| known == child)
                    .for_each(|(_, m)| *m = Multiplicity::Many);
                open.push(*child);
            }
        }
    }
}

/// The operations of a task's body and of what it calls, each with whether it may run more than once in a task.
fn operations(task: ProcId, codes: &[Code]) -> Vec<(&Op, bool)> {
    let mut all = Vec::new();
    let mut called: Vec<(ProcId, u32)> = vec![(task, 1)];
    let mut seen: HashSet<(ProcId, u32)> = HashSet::from([(task, 1)]);
    let mut at = 0;
    while at < called.len() {
        let (proc, times) = called[at];
        at += 1;
        let ops = &codes[proc.index()].ops;
        // A backward jump means a loop; bodies with one count as repeated throughout.
        let looping = ops.iter().enumerate().any(|(i, (op, _))| matches!(op, Op::Jump(to) if *to <= i));
        let repeated = looping || times > 1;
        for (op, _) in ops {
            all.push((op, repeated));
            if let Op::Call(callee, ..) = op {
                let known = |times: u32| seen.contains(&(*callee, times));
                // Called again: its operations are listed once more, as repeated ones.
                let times = if repeated || known(1) { 2 } else { 1 };
                if !known(2) && seen.insert((*callee, times)) {
                    called.push((*callee, times));
                }
            }
        }
    }
    all
}
