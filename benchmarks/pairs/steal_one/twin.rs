//! What `try_recv` says is used.
use crossbeam::channel::{Receiver, Sender, unbounded};
pub enum Task { Index(String), Drop(String) }
#[derive(Clone)]
pub struct Worker { tasks: Receiver<Task> }
pub fn workers() -> (Sender<Task>, Worker) {
    let (add, tasks) = unbounded();
    (add, Worker { tasks })
}
impl Worker {
    pub fn step(&self) -> Option<String> {
        let Ok(task) = self.tasks.try_recv() else { return None };
        Some(match task {
            Task::Index(name) => format!("+{name}"),
            Task::Drop(name) => format!("-{name}"),
        })
    }
}
