//! How long somebody waits with a lock says nothing of what is found afterwards.

use std::sync::{Condvar, Mutex};
use std::time::Duration;

use qubit_lock::Monitor;

#[derive(Default)]
pub struct Queue {
    jobs: Vec<u64>,
    next: u64,
}

/// Looks anew after each wait.
pub struct Worker {
    queue: Monitor<Queue>,
}

impl Worker {
    pub fn new() -> Self {
        Self { queue: Monitor::new(Queue::default()) }
    }

    pub fn take(&self) -> u64 {
        let mut queue = self.queue.lock();
        loop {
            let Some(due) = queue.jobs.last().copied() else {
                queue = queue.wait();
                continue;
            };
            if due > queue.next {
                let (again, _) = queue.wait_timeout(Duration::from_millis(due));
                queue = again;
                continue;
            }
            queue.jobs.pop();
            return due;
        }
    }

    pub fn put(&self, due: u64) {
        self.queue.write(|queue| {
            queue.jobs.push(due);
            queue.next = due;
        });
    }
}

/// The same, with the standard library's lock.
#[derive(Default)]
pub struct Clerk {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Clerk {
    pub fn take(&self) -> u64 {
        let mut queue = self.queue.lock().unwrap();
        loop {
            let Some(due) = queue.jobs.last().copied() else {
                queue = self.changed.wait(queue).unwrap();
                continue;
            };
            if due > queue.next {
                queue = self.changed.wait_timeout(queue, Duration::from_millis(due)).unwrap().0;
                continue;
            }
            queue.jobs.pop();
            return due;
        }
    }

    pub fn put(&self, due: u64) {
        let mut queue = self.queue.lock().unwrap();
        queue.jobs.push(due);
        queue.next = due;
        self.changed.notify_all();
    }
}

/// Goes by what it saw before it waited.
#[derive(Default)]
pub struct Sleeper {
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl Sleeper {
    pub fn take(&self) -> u64 {
        let queue = self.queue.lock().unwrap();
        let due = queue.next; //~
        let mut queue = self.changed.wait_timeout(queue, Duration::from_millis(due)).unwrap().0;
        queue.next = due + 1; //~
        due
    }

    pub fn put(&self, due: u64) {
        self.queue.lock().unwrap().next = due; //~
        self.changed.notify_all();
    }
}
