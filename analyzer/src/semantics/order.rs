//! The depth-first order of tasks, or of their blocks where tasks are joined (section 2).

use super::{Machine, State, TaskId};

/// A block of a task: what it does between two joins.
pub type Block = (TaskId, u32);

/// Decides the depth-first order in one state.
pub struct Before<'a> {
    /// The program.
    pub machine: &'a Machine,
    /// The state: who started and joined whom.
    pub state: &'a State,
}

impl Before<'_> {
    /// Whether block `a` comes later than block `b` of another task in some depth-first order that the trace so far can
    /// still have. A task that is about to join another may be taken to have joined it, or not yet.
    pub fn may_be_later(&self, a: Block, b: Block) -> bool {
        let (above_a, above_b) = (self.path(a.0), self.path(b.0));
        let common = above_a.iter().zip(&above_b).take_while(|(x, y)| x == y).count();
        if common == 0 {
            return false;
        }
        let parent = above_a[common - 1];
        match (above_a.get(common), above_b.get(common)) {
            // `a` is in the parent itself: it is later than a child that was joined before.
            (None, Some(&child)) => self.state.tasks[child].joined.is_some_and(|block| a.1 > block),
            (Some(&child), None) => self.state.tasks[child].joined.is_none_or(|block| b.1 <= block),
            (Some(&x), Some(&y)) => {
                let (xs, ys) = (self.keys(parent, x), self.keys(parent, y));
                xs.iter().flatten().any(|x| ys.iter().flatten().any(|y| x > y))
            }
            (None, None) => false,
        }
    }

    /// The task's ancestors from the event down to itself.
    fn path(&self, task: TaskId) -> Vec<TaskId> {
        let mut path = vec![task];
        let mut at = task;
        while let Some(parent) = self.state.tasks[at].parent {
            path.push(parent);
            at = parent;
        }
        path.reverse();
        path
    }

    /// Where a child can come among its siblings: joined ones first, by join; then the others, as they were started.
    fn keys(&self, parent: TaskId, child: TaskId) -> [Option<(u8, u32)>; 2] {
        let task = &self.state.tasks[child];
        if let Some(block) = task.joined {
            return [Some((0, block)), None];
        }
        let waited = self.machine.waits_for(self.state, parent) == Some(child);
        [Some((1, task.sequence)), waited.then_some((0, self.state.tasks[parent].joins))]
    }
}
