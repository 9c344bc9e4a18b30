//! Workers that look at several things under a lock, and wait with it: they look at all of them again after each wake.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

pub type Task = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    queue: VecDeque<Task>,
    draining: bool,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    told: Condvar,
}

pub struct Worker {
    shared: Arc<Shared>,
}

impl Worker {
    pub fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let own = shared.clone();
        thread::spawn(move || work(&own));
        Worker { shared }
    }

    pub fn submit(&self, task: Task) {
        self.shared.state.lock().unwrap().queue.push_back(task);
        self.shared.told.notify_one();
    }

    pub fn drain(self) {
        self.shared.state.lock().unwrap().draining = true;
        self.shared.told.notify_all();
    }
}

fn work(shared: &Shared) {
    loop {
        let task = {
            let mut state = shared.state.lock().unwrap();
            loop {
                if let Some(task) = state.queue.pop_front() {
                    break task;
                }
                if state.draining {
                    return;
                }
                state = shared.told.wait(state).unwrap();
            }
        };
        task();
    }
}

/// The flag is set without the lock: between the look and the wait.
#[derive(Default)]
struct Loose {
    queue: Mutex<VecDeque<Task>>,
    draining: AtomicBool,
    told: Condvar,
}

pub struct LooseWorker {
    shared: Arc<Loose>,
}

impl LooseWorker {
    pub fn start() -> Self {
        let shared = Arc::new(Loose::default());
        let own = shared.clone();
        thread::spawn(move || work_loosely(&own));
        LooseWorker { shared }
    }

    pub fn submit(&self, task: Task) {
        self.shared.queue.lock().unwrap().push_back(task);
        self.shared.told.notify_one();
    }

    pub fn drain(self) {
        self.shared.draining.store(true, Ordering::SeqCst); //~
        self.shared.told.notify_all(); //~
    }
}

fn work_loosely(shared: &Loose) {
    loop {
        let task = {
            let mut queue = shared.queue.lock().unwrap();
            loop {
                if let Some(task) = queue.pop_front() {
                    break task;
                }
                if shared.draining.load(Ordering::SeqCst) { //~
                    return;
                }
                queue = shared.told.wait(queue).unwrap(); //~
            }
        };
        task();
    }
}
