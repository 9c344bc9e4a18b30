//! A message is seen in the queue that several take from, and then it is taken for granted.
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
        if self.tasks.is_empty() { //~
            return None;
        }
        let task = self.tasks.try_recv().unwrap(); //~
        Some(match task {
            Task::Index(name) => format!("+{name}"),
            Task::Drop(name) => format!("-{name}"),
        })
    }
}
