//! Robustness by definition (section 2): every trace is enumerated. Exponential; for tests and comparisons.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::{
    Access, AccessClasses, AccessKind, Before, Event, Machine, Signal, Signals, State, Status, Step,
};
use crate::ir::{ProcId, ProcKind};

/// What the enumeration found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No trace violates the property.
    Holds,
    /// Some trace does.
    Violated,
    /// There were too many states, or no time for them, and no violation among those seen.
    TooLarge,
}

/// Limits of an enumeration.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Greatest number of states.
    pub states: usize,
    /// Greatest number of tasks in a state.
    pub tasks: usize,
    /// Greatest number of calls under way in a task.
    pub calls: usize,
    /// For one enumeration: between two states there may be far more that no other task can see.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits::DEFAULT
    }
}

impl Limits {
    /// For what is asked on its own.
    pub const DEFAULT: Limits =
        Limits { states: 300_000, tasks: 16, calls: 64, time: Duration::from_secs(60) };

    /// Whether a state has more tasks, or calls, than are looked at.
    fn is_over(&self, state: &State) -> bool {
        state.tasks.len() > self.tasks || state.tasks.iter().any(|task| task.calls() > self.calls)
    }

    /// The same machine, for as long as one enumeration may take.
    fn timed(&self, machine: &Machine) -> Machine {
        machine.clone().until(Instant::now() + self.time)
    }
}

/// Whether an event has, from some state that at most `before` event instances leave which ran one after the other, a trace in
/// which an access precedes a conflicting access that comes earlier in depth-first order. An event that happens alone begins
/// in the declared state, with its guard true.
pub fn determinism(machine: &Machine, event: ProcId, before: u32, limits: Limits) -> Answer {
    let machine = &limits.timed(machine);
    let mut starts = machine.initials().into_iter().collect::<HashSet<_>>();
    let ProcKind::Event { once, alone, guard, .. } = machine.program.proc(event).kind else {
        return Answer::Holds;
    };
    let mut answer = Answer::Holds;
    if alone {
        starts = starts.into_iter().map(|state| machine.with_guard(state, event)).collect();
    } else {
        let others = |e: ProcId| {
            let alone = matches!(machine.program.proc(e).kind, ProcKind::Event { alone: true, .. });
            !alone && (!once || e != event)
        };
        let others: Vec<ProcId> = machine.program.events().filter(|&e| others(e)).collect();
        let mut latest = starts.clone();
        for _ in 0..before {
            let Some(left) = left_behind(machine, &latest, &others, limits) else {
                answer = Answer::TooLarge;
                break;
            };
            latest = left.into_iter().filter(|state| starts.insert(state.clone())).collect();
        }
    }
    let enabled = |state: &State| guard.is_none_or(|g| machine.is_true(state, g));
    let begin = |mut state: State| {
        machine.post_event(&mut state, event);
        state
    };
    let starts = starts.into_iter().filter(enabled).map(begin).collect();
    match explore(machine, starts, Monitor::new(machine, Property::Determinism), limits, |_| Vec::new()) {
        Answer::Holds => answer,
        other => other,
    }
}

/// The states that one more event, run to the end with all its tasks, leaves behind; `None` when there are too many.
fn left_behind(
    machine: &Machine,
    states: &HashSet<State>,
    events: &[ProcId],
    limits: Limits,
) -> Option<HashSet<State>> {
    let once = |e: ProcId| matches!(machine.program.proc(e).kind, ProcKind::Event { once: true, .. });
    let (mut seen, mut left) = (HashSet::new(), HashSet::new());
    let mut open = Vec::new();
    for state in states {
        for &event in events.iter().filter(|&&e| !once(e) || state.instances[e.index()] == 0) {
            let mut next = state.clone();
            machine.post_event(&mut next, event);
            open.push(next);
        }
    }
    while let Some(state) = open.pop() {
        if limits.is_over(&state) || seen.len() >= limits.states || machine.is_late() {
            return None;
        }
        left.extend(state.is_quiet().then(|| state.clone().without_past()));
        let nexts = machine.steps(&state).into_iter().map(|step| step.state);
        open.extend(nexts.filter(|next| seen.insert(next.clone())));
    }
    // Of the last steps some may be missing.
    (!machine.is_late()).then_some(left)
}

/// Whether some trace of at most `events` event instances has a cycle of conflicts between instances.
///
/// A trace is followed as long as the order that conflicts *and guards* impose on the instances has no cycle. Where a guard
/// closes one before the conflicts do, the event started in the middle of the event that made its guard true, and the
/// trace is no reordering of a serial one to begin with; such traces are not borderline, and neither the specification's
/// reduction nor this oracle looks behind them.
pub fn serializability(machine: &Machine, events: u32, limits: Limits) -> Answer {
    serializable(machine, events, limits, Property::Serializability)
}

/// The same to the letter: guards close no cycles, and every trace is followed to its end. Violations that only this finds
/// exist, but lie behind such a cycle; a reduction may find them or not.
pub fn serializability_behind_guards(machine: &Machine, events: u32, limits: Limits) -> Answer {
    serializable(machine, events, limits, Property::BehindGuards)
}

fn serializable(machine: &Machine, events: u32, limits: Limits, property: Property) -> Answer {
    let machine = &limits.timed(machine);
    let monitor = Monitor::new(machine, property);
    let ids: Vec<_> = machine.program.events().collect();
    let post = |state: &State| {
        let used: u32 = state.instances.iter().sum();
        // An instance that has not begun can stand for any other of its kind: one at a time is enough.
        let waiting = state.tasks.iter().any(|t| t.parent.is_none() && t.status == Status::Posted);
        if used >= events || waiting {
            return Vec::new();
        }
        let alone = |e: ProcId| matches!(machine.program.proc(e).kind, ProcKind::Event { alone: true, .. });
        let once = |e: ProcId| {
            matches!(machine.program.proc(e).kind, ProcKind::Event { once: true, .. })
                && state.instances[e.index()] > 0
        };
        ids.iter()
            .filter(|&&e| !once(e) && !alone(e))
            .map(|&e| {
                let mut next = state.clone();
                machine.post_event(&mut next, e);
                next
            })
            .collect()
    };
    explore(machine, machine.initials(), monitor, limits, post)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
enum Property {
    Determinism,
    Serializability,
    /// Serializability where guards order nothing.
    BehindGuards,
}

/// What has to be remembered of a trace: the accesses of each block (or instance), and for serializability the edges.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Past {
    /// By task and block (determinism) or by event instance (serializability): a set of access numbers.
    accesses: Vec<Vec<u128>>,
    /// For each instance the set of instances reached by edges.
    reaches: Vec<u32>,
    /// The same when guards count as reads of the guarding variable.
    ordered: Vec<u32>,
    /// By instance: accesses and the reads of guards.
    with_guards: Vec<Vec<u128>>,
}

/// What a step means for the property.
#[derive(PartialEq, Eq)]
enum Outcome {
    Fine,
    Violation,
    /// The trace need not be followed.
    Unordered,
}

struct Monitor {
    property: Property,
    classes: AccessClasses,
    signals: Signals,
    /// By access number: the set of conflicting ones.
    conflicts: Vec<u128>,
}

impl Monitor {
    fn new(machine: &Machine, property: Property) -> Self {
        let guards = machine.program.events().filter_map(|e| match machine.program.proc(e).kind {
            ProcKind::Event { guard, .. } => Some(Access { var: guard?, kind: AccessKind::Read }),
            _ => None,
        });
        let classes = AccessClasses::new(machine.accesses().chain(guards));
        assert!(classes.list.len() <= 128, "the oracle is for small programs");
        let set = |a| classes.conflicting(a).fold(0u128, |set, n| set | 1 << n);
        let conflicts = classes.list.iter().map(|&a| set(a)).collect();
        Monitor { property, classes, signals: Signals::new(&machine.program), conflicts }
    }

    /// Notes a step. `before` is the state that the step was taken in.
    fn note(&self, machine: &Machine, before: &State, step: &Step, past: &mut Past) -> Outcome {
        let task = &before.tasks[step.task];
        let access = match step.event {
            Event::Statement(_, access) => access,
            Event::Begin => None,
        };
        let number = access.map(|a| self.classes.number(a).expect("all accesses are numbered"));
        if let Some((number, signal)) = number.zip(access.and_then(|a| self.signals.of(a))) {
            return self.note_signal(signal, number, task.instance as usize, past);
        }
        match self.property {
            Property::Determinism => {
                let Some(number) = number else { return Outcome::Fine };
                let me = (step.task, task.joins);
                let order = Before { machine, state: before };
                let violated =
                    past.accesses.iter().enumerate().filter(|&(t, _)| t != step.task).any(|(t, blocks)| {
                        let hit = |(block, set): (usize, &u128)| {
                            set & self.conflicts[number] != 0 && order.may_be_later((t, block as u32), me)
                        };
                        blocks.iter().enumerate().any(hit)
                    });
                insert(&mut past.accesses, step.task, task.joins as usize, number);
                if violated { Outcome::Violation } else { Outcome::Fine }
            }
            Property::Serializability | Property::BehindGuards => {
                let me = task.instance as usize;
                let cycle = number.is_some_and(|n| {
                    let cycle = edges(&mut past.reaches, &past.accesses, me, self.conflicts[n]);
                    insert(&mut past.accesses, me, 0, n);
                    cycle
                });
                let ordering = number
                    .or_else(|| self.guard(machine, task.proc, task.status))
                    .filter(|_| self.property == Property::Serializability);
                let unordered = ordering.is_some_and(|n| {
                    let cycle = edges(&mut past.ordered, &past.with_guards, me, self.conflicts[n]);
                    insert(&mut past.with_guards, me, 0, n);
                    cycle
                });
                match (cycle, unordered) {
                    (true, _) => Outcome::Violation,
                    (false, true) => Outcome::Unordered,
                    (false, false) => Outcome::Fine,
                }
            }
        }
    }

    /// Notes what is done to a condition: a wake comes before a wait that begins too late for it, and nothing else has an order.
    fn note_signal(&self, signal: Signal, number: usize, me: usize, past: &mut Past) -> Outcome {
        match (self.property, signal) {
            (Property::Determinism, _) => {}
            (_, Signal::Wake) => insert(&mut past.accesses, me, 0, number),
            (_, Signal::Enlist) => {
                let conflicting = self.conflicts[number];
                let after = past.reaches.get(me).copied().unwrap_or(0);
                let mut others = past.accesses.iter().enumerate();
                let missed = others.any(|(other, sets)| {
                    let wakes = sets.first().copied().unwrap_or(0) & conflicting != 0;
                    other != me && wakes && after >> other & 1 == 1
                });
                if missed {
                    return Outcome::Violation;
                }
            }
        }
        Outcome::Fine
    }

    /// The read of its guard with which an event begins.
    fn guard(&self, machine: &Machine, proc: ProcId, status: Status) -> Option<usize> {
        match machine.program.proc(proc).kind {
            ProcKind::Event { guard: Some(var), .. } if status == Status::Posted => {
                self.classes.number(Access { var, kind: AccessKind::Read })
            }
            _ => None,
        }
    }
}

/// Adds the edges from the instances with a conflicting access to `me`; whether that closes a cycle.
fn edges(reaches: &mut Vec<u32>, accesses: &[Vec<u128>], me: usize, conflicting: u128) -> bool {
    let mut cycle = false;
    reaches.resize(reaches.len().max(me + 1), 0);
    for (other, sets) in accesses.iter().enumerate() {
        let set = sets.first().copied().unwrap_or(0);
        if other == me || set & conflicting == 0 {
            continue;
        }
        cycle |= reaches[me] >> other & 1 == 1;
        let reached = reaches[me] | 1 << me;
        for (i, reach) in reaches.iter_mut().enumerate() {
            if i == other || *reach >> other & 1 == 1 {
                *reach |= reached;
            }
        }
    }
    cycle
}

fn insert(sets: &mut Vec<Vec<u128>>, row: usize, column: usize, number: usize) {
    sets.resize(sets.len().max(row + 1), Vec::new());
    let row = &mut sets[row];
    row.resize(row.len().max(column + 1), 0);
    row[column] |= 1 << number;
}

fn explore(
    machine: &Machine,
    starts: Vec<State>,
    monitor: Monitor,
    limits: Limits,
    post: impl Fn(&State) -> Vec<State>,
) -> Answer {
    let past =
        Past { accesses: Vec::new(), reaches: Vec::new(), ordered: Vec::new(), with_guards: Vec::new() };
    let mut open: Vec<(State, Past)> = starts.into_iter().map(|start| (start, past.clone())).collect();
    let mut seen: HashSet<(State, Past)> = open.iter().cloned().collect();
    let mut too_large = false;
    while let Some((state, past)) = open.pop() {
        let posted = post(&state).into_iter().map(|next| (next, past.clone()));
        let mut nexts: Vec<_> = posted.collect();
        for step in machine.steps(&state) {
            let mut past = past.clone();
            match monitor.note(machine, &state, &step, &mut past) {
                Outcome::Violation => return Answer::Violated,
                Outcome::Fine => nexts.push((step.state, past)),
                Outcome::Unordered => {}
            }
        }
        for next in nexts {
            if limits.is_over(&next.0) {
                too_large = true;
            } else if seen.len() >= limits.states || machine.is_late() {
                return Answer::TooLarge;
            } else if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    if too_large || machine.is_late() { Answer::TooLarge } else { Answer::Holds }
}
