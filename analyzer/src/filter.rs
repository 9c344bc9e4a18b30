//! What cannot be violated whatever the schedule, from static conflicts alone. Sound: it never removes a violation
//! (a property test compares it with the oracle).

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use petgraph::unionfind::UnionFind;

use crate::ir::*;
use crate::semantics::{Access, Code, Machine, Op};

/// The static accesses of a program's tasks.
pub struct Filter {
    events: Vec<EventAccesses>,
    /// Where each event is in that list.
    index: HashMap<ProcId, usize>,
}

struct EventAccesses {
    event: ProcId,
    once: bool,
    /// By body: its own accesses, one entry per statement, twice where it may run more than once in a task.
    by_task: Vec<(Vec<Access>, Multiplicity)>,
    guard: Option<Access>,
}

/// How many tasks of an event may run a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Multiplicity {
    One,
    Many,
}

impl Filter {
    /// Collects the accesses of every event of a program.
    pub fn new(machine: &Machine) -> Filter {
        let program = &machine.program;
        let codes: Vec<Code> = program.procs.iter().map(Code::new).collect();
        let events = program.events().map(|event| {
            let (once, guard) = match program.proc(event).kind {
                ProcKind::Event { once, guard, .. } => (once, guard),
                _ => (false, None),
            };
            let guard = guard.map(|var| Access { var, kind: crate::semantics::AccessKind::Read });
            EventAccesses { event, once, by_task: tasks_of(event, &codes), guard }
        });
        let events: Vec<EventAccesses> = events.collect();
        let index = events.iter().enumerate().map(|(i, event)| (event.event, i)).collect();
        Filter { events, index }
    }

    /// Whether two tasks of the event have conflicting accesses.
    pub fn may_be_nondeterministic(&self, event: ProcId) -> bool {
        let Some(event) = self.index.get(&event).map(|&i| &self.events[i]) else { return false };
        let tasks = &event.by_task;
        (0..tasks.len()).any(|i| {
            let others = if tasks[i].1 == Multiplicity::Many { i } else { i + 1 };
            tasks[others..].iter().any(|other| any_conflict(&tasks[i].0, &other.0))
        })
    }

    /// The groups of events that share variables on which some event has two accesses that conflict with others: only they
    /// can be on a cycle, and no cycle leaves its group. What guards an event belongs to its group.
    pub fn groups(&self) -> Vec<Vec<ProcId>> {
        let users = Users::of(self.events.iter().map(EventAccesses::all).enumerate());
        let mut sets = UnionFind::<usize>::new(self.events.len());
        for kinds in users.by_var.values() {
            for (one, first) in kinds {
                for (_, second) in kinds.iter().filter(|(other, _)| one.conflicts(*other)) {
                    // Among them everything hangs together: each one conflicts with all of the others.
                    let all = first.iter().chain(second);
                    all.for_each(|&event| {
                        sets.union(first[0], event);
                    });
                }
            }
        }
        let conflicting = |i: usize| {
            let event = &self.events[i];
            event.all().into_iter().filter(|access| users.any_partner(*access, i, event.once)).count()
        };
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
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        (0..self.events.len()).for_each(|i| groups.entry(sets.find(i)).or_default().push(i));
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort();
        // The delayed event needs two accesses on the cycle: its exit and the pivot.
        groups.retain(|group| group.iter().any(|&i| conflicting(i) >= 2));
        let events = |group: Vec<usize>| group.into_iter().map(|i| self.events[i].event).collect();
        groups.into_iter().map(events).collect()
    }

    /// The pairs of events of a group (an event may pair with itself) that can be on a cycle of two instances, each followed by
    /// the events that write what guards one of them.
    pub fn pairs(&self, group: &[ProcId]) -> Vec<Vec<ProcId>> {
        let mut members: Vec<usize> =
            group.iter().filter_map(|event| self.index.get(event).copied()).collect();
        members.sort_unstable();
        let all: HashMap<usize, Vec<Access>> = members.iter().map(|&i| (i, self.events[i].all())).collect();
        let users = Users::of(members.iter().map(|i| (*i, all[i].clone())));
        let conflicting =
            |a: &[Access], b: &[Access]| a.iter().filter(|x| b.iter().any(|y| x.conflicts(*y))).count();
        // One of a pair is delayed, and needs two accesses that conflict with the other.
        let mut cyclic = BTreeSet::new();
        for &i in &members {
            let (event, own) = (&self.events[i], &all[&i]);
            let exits: Vec<Access> =
                own.iter().copied().filter(|access| users.any_partner(*access, i, event.once)).collect();
            if exits.len() < 2 {
                continue;
            }
            let partners: BTreeSet<usize> = exits.iter().flat_map(|access| users.partners(*access)).collect();
            let partners = partners.into_iter().filter(|j| *j != i || !event.once);
            let delayed = partners.filter(|j| conflicting(&exits, &all[j]) >= 2);
            cyclic.extend(delayed.map(|j| (i.min(j), i.max(j))));
        }
        let pair = |(i, j): (usize, usize)| {
            let (a, b) = (&self.events[i], &self.events[j]);
            let mut pair = vec![a.event];
            pair.extend((i != j).then_some(b.event));
            for guard in [a.guard, b.guard].into_iter().flatten() {
                for event in users.partners(guard).into_iter().map(|writer| self.events[writer].event) {
                    if !pair.contains(&event) {
                        pair.push(event);
                    }
                }
            }
            pair
        };
        cyclic.into_iter().map(pair).collect()
    }
}

/// By variable: the ways in which it is accessed, each with the events that do so, in ascending order.
struct Users {
    by_var: HashMap<VarId, Vec<(Access, Vec<usize>)>>,
}

impl Users {
    fn of(events: impl Iterator<Item = (usize, Vec<Access>)>) -> Users {
        let mut by_access: HashMap<Access, Vec<usize>> = HashMap::new();
        for (i, accesses) in events {
            for access in accesses {
                let users = by_access.entry(access).or_default();
                if users.last() != Some(&i) {
                    users.push(i);
                }
            }
        }
        let mut by_var: HashMap<VarId, Vec<(Access, Vec<usize>)>> = HashMap::new();
        for (access, users) in by_access {
            by_var.entry(access.var).or_default().push((access, users));
        }
        Users { by_var }
    }

    fn conflicting(&self, access: Access) -> impl Iterator<Item = &[usize]> {
        let ways = self.by_var.get(&access.var).into_iter().flatten();
        ways.filter(move |(other, _)| other.conflicts(access)).map(|(_, users)| &users[..])
    }

    /// The events with a conflicting access, in ascending order.
    fn partners(&self, access: Access) -> BTreeSet<usize> {
        self.conflicting(access).flatten().copied().collect()
    }

    /// Whether an access of the `i`-th event conflicts with one of another event, or of another instance.
    fn any_partner(&self, access: Access, i: usize, once: bool) -> bool {
        self.conflicting(access).any(|users| !once || users != [i])
    }
}

impl EventAccesses {
    fn all(&self) -> Vec<Access> {
        self.by_task
            .iter()
            .flat_map(|(accesses, many)| {
                let times = if *many == Multiplicity::Many { 2 } else { 1 };
                std::iter::repeat_n(accesses.iter().copied(), times).flatten()
            })
            .collect()
    }
}

fn any_conflict(a: &[Access], b: &[Access]) -> bool {
    a.iter().any(|x| b.iter().any(|y| x.conflicts(*y)))
}

/// The tasks of an event with their accesses, calls included.
fn tasks_of(event: ProcId, codes: &[Code]) -> Vec<(Vec<Access>, Multiplicity)> {
    let mut found: Vec<(ProcId, Multiplicity)> = vec![(event, Multiplicity::One)];
    let mut tasks = Vec::new();
    let mut at = 0;
    while at < found.len() {
        let (task, this) = (found[at].0, at);
        at += 1;
        let mut accesses = Vec::new();
        for (op, repeated) in operations(task, codes) {
            let times = if repeated { 2 } else { 1 };
            accesses.extend(std::iter::repeat_n(op.access(), times).flatten());
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
        tasks.push(accesses);
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
                let known = |times: u32| called.contains(&(*callee, times));
                match (known(1), known(2)) {
                    (_, true) => {}
                    // Called again: its operations are listed once more, as repeated ones.
                    (true, false) => called.push((*callee, 2)),
                    (false, false) => called.push((*callee, if repeated { 2 } else { 1 })),
                }
            }
        }
    }
    all
}
