//! What cannot be violated whatever the schedule, from static conflicts alone. Sound: it never removes a violation
//! (a property test compares it with the oracle).

mod held;

use std::collections::{HashMap, HashSet};

use petgraph::unionfind::UnionFind;

use crate::ir::*;
use crate::semantics::{Access, Code, Machine, Op};
use held::Context;

/// The static accesses of a program's tasks.
pub struct Filter {
    events: Vec<EventAccesses>,
}

struct EventAccesses {
    event: ProcId,
    once: bool,
    /// By body: its own accesses, one entry per statement, twice where it may run more than once in a task.
    by_task: Vec<(Vec<Located>, Multiplicity)>,
    guard: Option<Access>,
}

/// An access, and where in its task it is.
type Located = (Access, Context);

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
            EventAccesses { event, once, by_task: tasks_of(event, program, &codes), guard }
        });
        Filter { events: events.collect() }
    }

    /// Whether two tasks of the event have conflicting accesses.
    pub fn may_be_nondeterministic(&self, event: ProcId) -> bool {
        let Some(event) = self.events.iter().find(|e| e.event == event) else { return false };
        let tasks = &event.by_task;
        (0..tasks.len()).any(|i| {
            let others = if tasks[i].1 == Multiplicity::Many { i } else { i + 1 };
            tasks[others..].iter().any(|other| tasks[i].0.iter().any(|(x, _)| any_conflict(&[*x], &other.0)))
        })
    }

    /// The groups of events that share variables on which some event has two accesses that conflict with others and that these
    /// can come between: only they can be on a cycle, and no cycle leaves its group. What guards an event belongs to its group.
    pub fn groups(&self) -> Vec<Vec<ProcId>> {
        let all: Vec<Vec<Located>> = self.events.iter().map(EventAccesses::all).collect();
        let mut sets = UnionFind::<usize>::new(self.events.len());
        let mut torn = vec![false; self.events.len()];
        for (i, accesses) in all.iter().enumerate() {
            let others = |j: &usize| *j != i || !self.events[i].once;
            for (access, _) in accesses {
                (0..all.len()).filter(others).filter(|&j| any_conflict(&[*access], &all[j])).for_each(|j| {
                    sets.union(i, j);
                });
            }
            torn[i] = can_be_torn(accesses, (0..all.len()).filter(others).flat_map(|j| &all[j]));
            // Guards are no conflicts, but who writes them decides what can run.
            if let Some(guard) = self.events[i].guard {
                (0..all.len()).filter(|&j| any_conflict(&[guard], &all[j])).for_each(|j| {
                    sets.union(i, j);
                });
            }
        }
        let mut groups: HashMap<usize, Vec<usize>> = HashMap::new();
        (0..self.events.len()).for_each(|i| groups.entry(sets.find(i)).or_default().push(i));
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort();
        groups.retain(|group| group.iter().any(|&i| torn[i]));
        let events = |group: Vec<usize>| group.into_iter().map(|i| self.events[i].event).collect();
        groups.into_iter().map(events).collect()
    }

    /// The pairs of events of a group (an event may pair with itself) that can be on a cycle of two instances, each followed by
    /// the events that write what guards one of them.
    pub fn pairs(&self, group: &[ProcId]) -> Vec<Vec<ProcId>> {
        let events: Vec<(&EventAccesses, Vec<Located>)> =
            self.events.iter().filter(|e| group.contains(&e.event)).map(|e| (e, e.all())).collect();
        let mut pairs = Vec::new();
        for (i, (a, own)) in events.iter().enumerate() {
            for (b, other) in &events[i..] {
                let same = a.event == b.event;
                let cyclic = can_be_torn(own, other.iter()) || can_be_torn(other, own.iter());
                if !cyclic || same && a.once {
                    continue;
                }
                let mut pair = vec![a.event];
                pair.extend((!same).then_some(b.event));
                for guard in [a.guard, b.guard].into_iter().flatten() {
                    let enabling = events.iter().filter(|(_, all)| any_conflict(&[guard], all));
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

/// Whether others can come between two accesses of an event: the delayed event's exit and its pivot. They cannot when a lock
/// is held from one to the other that all have to take who conflict with the exit, nor when no run has both.
fn can_be_torn<'a>(own: &[Located], others: impl Iterator<Item = &'a Located>) -> bool {
    let mut by_var: HashMap<VarId, Vec<&Located>> = HashMap::new();
    others.for_each(|other| by_var.entry(other.0.var).or_default().push(other));
    let rivals = |access: Access| {
        let all = by_var.get(&access.var).into_iter().flatten();
        all.filter(move |(other, _)| other.conflicts(access))
    };
    let own: Vec<&Located> = own.iter().filter(|(access, _)| rivals(*access).next().is_some()).collect();
    own.iter().enumerate().any(|(i, (exit, here))| {
        let keeps_away = |lock: &(LockId, Mode)| rivals(*exit).all(|(_, at)| at.locks.excluded_by(*lock));
        let keeping: Vec<(LockId, Mode)> = here.locks.iter().filter(keeps_away).collect();
        own.iter().enumerate().any(|(j, (_, at_pivot))| {
            let kept = || here.locks.throughout(&at_pivot.locks).any(|lock| keeping.contains(&lock));
            i != j && here.together_with(at_pivot) && !kept()
        })
    })
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

fn any_conflict(a: &[Access], b: &[Located]) -> bool {
    a.iter().any(|x| b.iter().any(|(y, _)| x.conflicts(*y)))
}

/// The tasks of an event with their accesses, calls included.
fn tasks_of(event: ProcId, program: &Program, codes: &[Code]) -> Vec<(Vec<Located>, Multiplicity)> {
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
        tasks.push(held::accesses(program, task).unwrap_or(accesses));
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
