//! What a task does that no other can see.

use std::collections::VecDeque;

use super::*;

/// More local operations than this between two visible ones count as an endless loop.
const LOCAL_STEPS: usize = 10_000;
/// More calls than this of one procedure with the same arguments, one within the other and with nothing visible in between, are
/// left out: each of them could do what the next one does.
const SAME_CALLS: usize = 4;
/// More calls than this under way between two visible operations count as an endless recursion.
const LOCAL_CALLS: usize = 500;

impl Machine {
    /// Runs a task's local operations up to its next visible one, or to its end; all outcomes.
    pub(super) fn settled(&self, state: State, task: TaskId) -> Vec<State> {
        if state.tasks[task].status == Status::Ready
            && self.next_op(&state, task).is_some_and(|(op, _)| op.is_visible())
        {
            return vec![state];
        }
        let begun = state.tasks[task].frames.len();
        let mut diverged = state.clone();
        // Those that take few steps come first: a procedure that calls itself has no end of longer ones.
        let (mut done, mut seen, mut open) = (Vec::new(), HashSet::new(), VecDeque::from([state]));
        while let Some(mut state) = open.pop_front() {
            if self.is_late() {
                break;
            }
            if state.tasks[task].frames.is_empty() {
                self.end(&mut state, task);
                done.push(state);
            } else if state.tasks[task].status == Status::Stuck
                || self.next_op(&state, task).is_some_and(|(op, _)| op.is_visible())
            {
                done.push(state);
            } else if seen.len() < LOCAL_STEPS
                && state.tasks[task].frames.len() < begun + LOCAL_CALLS
                && !self.calls_itself(&state.tasks[task], begun)
                && seen.insert(state.clone())
            {
                self.local(state, task, &mut open);
            }
        }
        if done.is_empty() {
            // An endless loop: what happened before did happen.
            diverged.tasks[task].status = Status::Stuck;
            done.push(diverged);
        }
        done
    }

    pub(super) fn end(&self, state: &mut State, task: TaskId) {
        state.tasks[task].status = Status::Ended;
        if let Where::On(e) = self.runs_on(state.tasks[task].proc) {
            state.executors[e.index()] = None;
        }
    }

    /// Whether a task has just called a procedure once more that it is in already, with the same arguments; `begun` calls were under way
    /// when it last did anything that can be seen.
    fn calls_itself(&self, task: &Task, begun: usize) -> bool {
        let Some((last, earlier)) = task.frames.get(begun..).and_then(<[Frame]>::split_last) else {
            return false;
        };
        let arguments = self.program.procs[last.proc as usize].params;
        let same =
            |frame: &&Frame| frame.proc == last.proc && frame.locals[..arguments] == last.locals[..arguments];
        last.at == 0 && earlier.iter().filter(same).count() >= SAME_CALLS
    }

    /// One local operation.
    pub(super) fn local(&self, mut state: State, task: TaskId, out: &mut VecDeque<State>) {
        let Some((op, _)) = self.next_op(&state, task) else { return };
        let me = &mut state.tasks[task];
        let frame = me.frames.last_mut().expect("the task has an operation");
        let at = frame.at as usize;
        frame.at += 1;
        match op {
            Op::SetLocal(t, e) => {
                let ty = self.types.locals[frame.proc as usize][t.index()];
                let values = self.eval(e, &frame.locals.clone(), ty);
                out.extend(values.into_iter().map(|v| {
                    let mut next = state.clone();
                    next.tasks[task].frames.last_mut().expect("as above").locals[t.index()] = v;
                    next
                }));
            }
            Op::Assume(e) => {
                for v in self.eval(e, &frame.locals.clone(), Type::Bool) {
                    let mut next = state.clone();
                    if v == 0 {
                        next.tasks[task].frames.last_mut().expect("as above").at = at as u32;
                        next.tasks[task].status = Status::Stuck;
                    }
                    out.push_back(next);
                }
            }
            Op::Call(proc, args, _) => {
                for args in self.eval_all(args, &frame.locals.clone(), *proc) {
                    let mut next = state.clone();
                    next.tasks[task].frames.push(self.frame(*proc, args));
                    out.push_back(next);
                }
            }
            Op::Return(e) => {
                let proc = frame.proc as usize;
                let values = match e {
                    Some(e) => self.eval(e, &frame.locals.clone(), self.types.results[proc]),
                    // Nothing returned where a value is asked for: any value.
                    None if me.frames.len() > 1 && self.result_is_used(me) => {
                        self.any(self.types.results[proc])
                    }
                    None => vec![0],
                };
                for v in values {
                    let mut next = state.clone();
                    let frames = &mut next.tasks[task].frames;
                    frames.pop();
                    if let Some(caller) = frames.last_mut()
                        && let (Op::Call(_, _, Some(t)), _) =
                            &self.code[caller.proc as usize].ops[caller.at as usize - 1]
                    {
                        caller.locals[t.index()] = v;
                    }
                    out.push_back(next);
                }
            }
            Op::Jump(to) => {
                frame.at = *to as u32;
                out.push_back(state);
            }
            Op::Unless(e, to) => {
                for v in self.eval(e, &frame.locals.clone(), Type::Bool) {
                    let mut next = state.clone();
                    if v == 0 {
                        next.tasks[task].frames.last_mut().expect("as above").at = *to as u32;
                    }
                    out.push_back(next);
                }
            }
            _ => unreachable!("visible operations are not local"),
        }
    }

    pub(super) fn result_is_used(&self, task: &Task) -> bool {
        let caller = &task.frames[task.frames.len() - 2];
        matches!(self.code[caller.proc as usize].ops[caller.at as usize - 1], (Op::Call(_, _, Some(_)), _))
    }
}
