//! What cannot be violated whatever the schedule, from static conflicts alone. Sound: it never removes a violation
//! (a property test compares it with the oracle).

use std::collections::{HashMap, HashSet};

use petgraph::unionfind::UnionFind;

use crate::ir::*;
use crate::semantics::{Access, Code, Machine, Op};

/// The static accesses of a program's tasks.
pub struct Filter {
    events: Vec<EventAccesses>,
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
        Filter { events: events.collect() }
    }

    /// Whether two tasks of the event have conflicting accesses.
    pub fn may_be_nondeterministic(&self, event: ProcId) -> bool {
        let Some(event) = self.events.iter().find(|e| e.event == event) else { return false };
        let tasks = &event.by_task;
        (0..tasks.len()).any(|i| {
            let others = if tasks[i].1 == Multiplicity::Many { i } else { i + 1 };
            tasks[others..].iter().any(|other| any_conflict(&tasks[i].0, &other.0))
        })
    }

    /// The groups of events that share variables on which some event has two accesses that conflict with others: only they
    /// can be on a cycle, and no cycle leaves its group. What guards an event belongs to its group.
    pub fn groups(&self) -> Vec<Vec<ProcId>> {
        let all: Vec<Vec<Access>> = self.events.iter().map(EventAccesses::all).collect();
        let mut sets = UnionFind::<usize>::new(self.events.len());
        let mut conflicting = vec![0; self.events.len()];
        for (i, accesses) in all.iter().enumerate() {
            let others = |j: usize| j != i || !self.events[i].once;
            for access in accesses {
                let partners: Vec<usize> = (0..all.len())
                    .filter(|&j| others(j) && all[j].iter().any(|b| b.conflicts(*access)))
                    .collect();
                conflicting[i] += usize::from(!partners.is_empty());
                partners.into_iter().for_each(|j| {
                    sets.union(i, j);
                });
            }
            // Guards are no conflicts, but who writes them decides what can run.
            if let Some(guard) = self.events[i].guard {
                for (j, other) in all.iter().enumerate() {
                    if other.iter().any(|b| b.conflicts(guard)) {
                        sets.union(i, j);
                    }
                }
            }
        }
        let mut groups: HashMap<usize, Vec<usize>> = HashMap::new();
        (0..self.events.len()).for_each(|i| groups.entry(sets.find(i)).or_default().push(i));
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort();
        // The delayed event needs two accesses on the cycle: its exit and the pivot.
        groups.retain(|group| group.iter().any(|&i| conflicting[i] >= 2));
        let events = |group: Vec<usize>| group.into_iter().map(|i| self.events[i].event).collect();
        groups.into_iter().map(events).collect()
    }
}

impl Filter {
    /// The pairs of events of a group (an event may pair with itself) that can be on a cycle of two instances, each followed by
    /// the events that write what guards one of them.
    pub fn pairs(&self, group: &[ProcId]) -> Vec<Vec<ProcId>> {
        let events: Vec<(&EventAccesses, Vec<Access>)> =
            self.events.iter().filter(|e| group.contains(&e.event)).map(|e| (e, e.all())).collect();
        let conflicting =
            |a: &[Access], b: &[Access]| a.iter().filter(|x| b.iter().any(|y| x.conflicts(*y))).count();
        let mut pairs = Vec::new();
        for (i, (a, own)) in events.iter().enumerate() {
            for (b, other) in &events[i..] {
                let same = a.event == b.event;
                let cyclic = conflicting(own, other) >= 2 || conflicting(other, own) >= 2;
                if !cyclic || same && a.once {
                    continue;
                }
                let mut pair = vec![a.event];
                pair.extend((!same).then_some(b.event));
                for guard in [a.guard, b.guard].into_iter().flatten() {
                    let enabling = events.iter().filter(|(_, all)| all.iter().any(|x| x.conflicts(guard)));
                    pair.extend(
                        enabling.map(|(e, _)| e.event).filter(|e| !pair.contains(e)).collect::<Vec<_>>(),
                    );
                }
                pairs.push(pair);
            }
        }
        pairs
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
