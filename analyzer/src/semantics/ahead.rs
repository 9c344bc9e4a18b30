//! Looking ahead in the reference interpreter: what a task still does, and in which states programs end.

use std::collections::{BTreeSet, HashSet};

use super::{Event, Machine, State, Status, TaskId};
use crate::ir::{ProcId, Value};

/// More states than this are not looked at.
const STATES: usize = 50_000;
/// States with more tasks, or more calls under way in one, are not followed.
const DEEP: usize = 64;

fn is_deep(state: &State) -> bool {
    state.tasks.len() > DEEP || state.tasks.iter().any(|task| task.calls() > DEEP)
}

impl Machine {
    /// Whether a task, alone and with a variable at a value, can still access anything, start a task, or go on for ever. The
    /// operation that it stands at is not counted. Where not all values are tried, it can.
    pub fn goes_on(&self, state: &State, task: TaskId, var: usize, value: Value) -> bool {
        if self.is_sampled() {
            return true;
        }
        let mut start = state.clone();
        start.vars[var] = match value {
            Value::Bool(value) => value.into(),
            Value::Int(value) => value,
        };
        // Nobody else moves: whatever they hold, they would give back.
        start.locks.iter_mut().for_each(|holders| holders.retain(|(holder, _)| *holder == task));
        let tasks = start.tasks.len();
        let mut open: Vec<State> = self.steps_of(&start, task).into_iter().map(|step| step.state).collect();
        let mut seen: HashSet<State> = open.iter().cloned().collect();
        while let Some(state) = open.pop() {
            let steps = self.steps_of(&state, task);
            // Where an assumption fails there is no such run.
            let over = matches!(state.tasks[task].status, Status::Ended | Status::Stuck);
            let waits = steps.is_empty() && !over;
            if waits || state.tasks.len() > tasks || is_deep(&state) || seen.len() > STATES {
                return true;
            }
            for step in steps {
                if matches!(step.event, Event::Statement(_, Some(_))) {
                    return true;
                }
                if seen.insert(step.state.clone()) {
                    open.push(step.state);
                }
            }
        }
        false
    }

    /// The values that the variables can have when instances of these events, once each and overlapping at will, have all
    /// ended; `None` when some run does not end, there are too many states, or values that are not tried.
    pub fn ends(&self, events: &[ProcId]) -> Option<BTreeSet<Vec<i128>>> {
        self.ends_of(events, |state| (0..state.tasks.len()).collect())
    }

    /// The same in the single-thread semantics.
    pub fn serial_ends(&self, events: &[ProcId]) -> Option<BTreeSet<Vec<i128>>> {
        self.ends_of(events, |state| self.serial_choice(state))
    }

    fn ends_of(
        &self,
        events: &[ProcId],
        may_move: impl Fn(&State) -> Vec<TaskId>,
    ) -> Option<BTreeSet<Vec<i128>>> {
        if self.is_sampled() {
            return None;
        }
        let mut start = self.initial();
        events.iter().for_each(|event| self.post_event(&mut start, *event));
        let mut seen = HashSet::from([start.clone()]);
        let mut open = vec![start];
        let mut ends = BTreeSet::new();
        while let Some(state) = open.pop() {
            if state.tasks.iter().all(|task| task.status == Status::Ended) {
                ends.insert(state.vars);
                continue;
            }
            if state.is_void() {
                continue;
            }
            let tasks = may_move(&state).into_iter();
            let steps: Vec<State> =
                tasks.flat_map(|task| self.steps_of(&state, task)).map(|step| step.state).collect();
            if steps.is_empty() || is_deep(&state) || seen.len() > STATES {
                return None;
            }
            open.extend(steps.into_iter().filter(|next| seen.insert(next.clone())));
        }
        Some(ends)
    }

    /// Who may move in the single-thread semantics: the next task of the instance under way, or any event when there is none.
    fn serial_choice(&self, state: &State) -> Vec<TaskId> {
        let roots = || (0..state.tasks.len()).filter(|&task| state.tasks[task].parent.is_none());
        let (waiting, begun): (Vec<TaskId>, Vec<TaskId>) =
            roots().partition(|&task| state.tasks[task].status == Status::Posted);
        match begun.into_iter().find_map(|task| self.next_in(state, task)) {
            Some(task) => vec![task],
            None => waiting,
        }
    }

    /// Who moves next of a task and those it started, in depth-first order; `None` when all ended.
    fn next_in(&self, state: &State, task: TaskId) -> Option<TaskId> {
        if state.tasks[task].status != Status::Ended {
            let joined = self.waits_for(state, task);
            return joined.and_then(|child| self.next_in(state, child)).or(Some(task));
        }
        let mut children: Vec<TaskId> =
            (0..state.tasks.len()).filter(|&child| state.tasks[child].parent == Some(task)).collect();
        children.sort_by_key(|&child| state.tasks[child].sequence);
        children.into_iter().find_map(|child| self.next_in(state, child))
    }
}
