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
    /// operation that it stands at is not counted. Where not all values are tried, it can; `None` when there was no time.
    pub fn goes_on(&self, state: &State, task: TaskId, var: usize, value: Value) -> Option<bool> {
        if self.is_sampled() {
            return Some(true);
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
            // What comes next was not looked for then.
            if self.is_late() {
                return None;
            }
            // Where an assumption fails there is no such run.
            let over = matches!(state.tasks[task].status, Status::Ended | Status::Stuck);
            let waits = steps.is_empty() && !over;
            if waits || state.tasks.len() > tasks || is_deep(&state) || seen.len() > STATES {
                return Some(true);
            }
            for step in steps {
                if matches!(step.event, Event::Statement(_, Some(_))) {
                    return Some(true);
                }
                if seen.insert(step.state.clone()) {
                    open.push(step.state);
                }
            }
        }
        // What it starts with was looked for, too.
        (!self.is_late()).then_some(false)
    }

    /// The values that the variables can have when from the state `first` instances of these events, once each and overlapping at will, have all
    /// ended; `None` when some run does not end, there are too many states, values that are not tried, or there was no time.
    pub fn ends(&self, first: &State, events: &[ProcId]) -> Option<BTreeSet<Vec<i128>>> {
        self.ends_of(first, events, |state| (0..state.tasks.len()).collect())
    }

    /// The same in the single-thread semantics.
    pub fn serial_ends(&self, first: &State, events: &[ProcId]) -> Option<BTreeSet<Vec<i128>>> {
        self.ends_of(first, events, |state| self.serial_choice(state))
    }

    fn ends_of(
        &self,
        first: &State,
        events: &[ProcId],
        may_move: impl Fn(&State) -> Vec<TaskId>,
    ) -> Option<BTreeSet<Vec<i128>>> {
        if self.is_sampled() {
            return None;
        }
        let mut start = first.clone();
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
            // Tasks stand still once it is late, as if an assumption had failed.
            if steps.is_empty() || is_deep(&state) || seen.len() > STATES || self.is_late() {
                return None;
            }
            open.extend(steps.into_iter().filter(|next| seen.insert(next.clone())));
        }
        (!self.is_late()).then_some(ends)
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

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::ir::text::parse;

    #[test]
    fn what_was_not_looked_at_in_time_is_not_known() {
        let program = parse("var x: bool = false; event a on any { x := true; }", "test.rob").expect("valid");
        let machine = Machine::new(&program).expect("valid");
        let event: Vec<ProcId> = program.events().collect();
        let mut begun = machine.initial();
        machine.post_event(&mut begun, event[0]);
        assert_eq!(machine.ends(&machine.initial(), &event).map(|ends| ends.len()), Some(1));
        assert!(machine.serial_ends(&machine.initial(), &event).is_some());
        assert!(machine.goes_on(&begun, 0, 0, Value::Bool(true)).is_some());
        let late = machine.until(Instant::now());
        assert_eq!(late.ends(&late.initial(), &event), None);
        assert_eq!(late.serial_ends(&late.initial(), &event), None);
        assert_eq!(late.goes_on(&begun, 0, 0, Value::Bool(true)), None);
    }
}
