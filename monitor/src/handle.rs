//! Who may wait for a task.

use std::sync::Arc;

use crate::atoms::{ENDED, Event, LAUNCH, OWNED};
use crate::task::Task;

/// Who may wait for a task.
pub struct Handle {
    task: Option<Arc<Task>>,
    joined: bool,
}

impl Handle {
    pub(crate) fn new(task: Option<Arc<Task>>) -> Self {
        Handle { task, joined: false }
    }

    /// Somebody got the task's result.
    pub fn joined(&mut self) {
        self.joined = true;
        if let Some(task) = &self.task {
            task.happens(Event::Joined);
        }
    }

    /// The task is told to end.
    pub fn abort(&self) {
        if let Some(task) = &self.task {
            task.happen(|_| &[Event::Abort, Event::Unneeded]);
        }
    }

    /// Its set is gone, or has let go of it.
    pub fn settle(&mut self) {
        self.joined = true;
    }

    /// The set that kept it is dropped, which ends the task.
    pub fn dropped_with_set(&mut self) {
        if let Some(task) = self.task.as_ref().filter(|_| !self.joined) {
            task.happen(|atoms| if atoms & ENDED != 0 { &[Event::Lost] } else { &[Event::Abort] });
        }
        self.joined = true;
    }

    /// One more, for somebody who may end the task but not wait for it.
    pub fn other(&self) -> Handle {
        Handle { task: self.task.clone(), joined: true }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let Some(task) = self.task.as_ref().filter(|_| !self.joined) else { return };
        task.happen(|atoms| {
            if atoms & ENDED != 0 {
                &[Event::Lost]
            } else if atoms & OWNED != 0 && atoms & LAUNCH == 0 {
                &[Event::Detached, Event::OwnerGone, Event::Unneeded]
            } else {
                &[Event::Detached]
            }
        });
    }
}
