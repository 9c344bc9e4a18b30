//! What must come before what in any schedule of a trace, as far as locks and executors decide it.

use std::collections::HashMap;
use std::time::Instant;

use super::{Act, Trace};
use crate::ir::*;
use crate::semantics::Machine;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Lambda {
    Lock(LockId),
    Executor(ExecId),
}

/// The time for which a task holds a lock or an executor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    lambda: Lambda,
    task: usize,
    mode: Mode,
    /// The action that takes it.
    taken: usize,
    /// The action that gives it back; `None` when it is kept for good.
    given: Option<usize>,
}

impl Section {
    fn excludes(&self, other: &Section) -> bool {
        self.lambda == other.lambda
            && self.task != other.task
            && (self.mode, other.mode) != (Mode::Shared, Mode::Shared)
    }
}

/// The sections of a trace; `actions` are those of each task.
pub(super) fn sections(machine: &Machine, trace: &Trace, actions: &[Vec<usize>]) -> Vec<Section> {
    let labels = lock_labels(&machine.program);
    let is_cooperative = |e: ExecId| !machine.program.executors[e.index()].exclusive;
    let mut sections = Vec::new();
    for (task, actions) in actions.iter().enumerate() {
        let executor = match machine.runs_on(trace.tasks[task].proc) {
            Where::On(e) => Some(e),
            Where::Any => None,
        };
        let mut held: HashMap<Lambda, Section> = HashMap::new();
        for &taken in actions {
            let operation = match trace.actions[taken].act {
                Act::Begin => executor.map(|e| (Lambda::Executor(e), Some(Mode::Exclusive))),
                Act::Statement { label, .. } => match labels.get(&label) {
                    Some(&(Operation::Lock(l), takes)) => Some((Lambda::Lock(l), takes)),
                    Some((Operation::Suspend, _)) => {
                        executor.filter(|e| is_cooperative(*e)).map(|e| (Lambda::Executor(e), None))
                    }
                    None => None,
                },
                Act::Blocked(_) => None,
            };
            match operation {
                Some((lambda, Some(mode))) => {
                    held.insert(lambda, Section { lambda, task, mode, taken, given: None });
                }
                Some((lambda, None)) => {
                    sections.extend(held.remove(&lambda).map(|s| Section { given: Some(taken), ..s }));
                }
                None => {}
            }
        }
        let ended = |lambda| trace.tasks[task].ended && executor.map(Lambda::Executor) == Some(lambda);
        let mut rest: Vec<Section> = held.into_values().collect();
        rest.sort_by_key(|s| s.taken);
        sections.extend(rest.into_iter().map(|s| match ended(s.lambda) {
            true => Section { given: actions.last().copied(), ..s },
            false => s,
        }));
    }
    sections
}

/// Sections of one lock cannot overlap: where one must begin before another ends, it must end before that begins. Adds what
/// follows from that to `before`, until nothing more does; false when something would have to come before itself, or there is no time.
pub(super) fn order(
    trace: &Trace,
    actions: &[Vec<usize>],
    sections: &[Section],
    before: &mut [Vec<usize>],
    until: Instant,
) -> bool {
    let mut order = Order::new(trace.actions.len());
    let mut consistent = true;
    for actions in actions {
        let mut edges = actions.windows(2);
        consistent &= edges.all(|pair| order.add(pair[0], pair[1]));
        if let Some(&first) = actions.first() {
            let started = trace.tasks[trace.actions[first].task].started_by;
            consistent &= started.is_none_or(|start| order.add(start, first));
        }
    }
    for (action, earlier) in before.iter().enumerate() {
        consistent &= earlier.iter().all(|&b| order.add(b, action));
    }
    loop {
        let mut news = false;
        for s in sections {
            if until < Instant::now() {
                return false;
            }
            for t in sections.iter().filter(|t| s.excludes(t)) {
                let forced = match (s.given, t.given) {
                    (None, None) => return false,
                    (Some(_), None) => true,
                    (_, Some(given)) => order.is_before(s.taken, given),
                };
                let Some(given) = s.given.filter(|_| forced) else {
                    if forced {
                        return false;
                    }
                    continue;
                };
                if !order.is_before(given, t.taken) {
                    news = true;
                    before[t.taken].push(given);
                    consistent &= order.add(given, t.taken);
                }
            }
            if !consistent {
                return false;
            }
        }
        if !news {
            return consistent;
        }
    }
}

/// A partial order, kept closed: for each action a set of bits with those that come after it.
struct Order {
    words: usize,
    after: Vec<u64>,
}

impl Order {
    fn new(size: usize) -> Order {
        let words = size.div_ceil(64);
        Order { words, after: vec![0; words * size] }
    }

    fn is_before(&self, a: usize, b: usize) -> bool {
        self.after[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }

    /// Puts `a` before `b`; whether that is possible.
    fn add(&mut self, a: usize, b: usize) -> bool {
        if a == b || self.is_before(b, a) {
            return false;
        }
        if self.is_before(a, b) {
            return true;
        }
        let mut news = self.after[b * self.words..][..self.words].to_vec();
        news[b / 64] |= 1 << (b % 64);
        for earlier in 0..self.after.len() / self.words {
            if earlier == a || self.is_before(earlier, a) {
                let row = &mut self.after[earlier * self.words..][..self.words];
                row.iter_mut().zip(&news).for_each(|(x, n)| *x |= n);
            }
        }
        true
    }
}

#[derive(Clone, Copy)]
enum Operation {
    Lock(LockId),
    Suspend,
}

/// What is taken, and how, or given back (`None`) under which label.
fn lock_labels(program: &Program) -> HashMap<Label, (Operation, Option<Mode>)> {
    let operation = |s: &&Stmt| match s.kind {
        StmtKind::Acquire(l, mode) => Some((s.label, (Operation::Lock(l), Some(mode)))),
        StmtKind::Release(l) => Some((s.label, (Operation::Lock(l), None))),
        StmtKind::Yield | StmtKind::Await(_) => Some((s.label, (Operation::Suspend, None))),
        _ => None,
    };
    program.statements().iter().filter_map(operation).collect()
}
