//! What a task does in rounds, when it has waited, is no part of what it was started for.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

#[derive(Default)]
struct Sharing {
    todo: Mutex<VecDeque<u32>>,
    more: Condvar,
    waiting: AtomicUsize,
}

/// A thread is started if nobody waits; how many wait, it counts later.
#[derive(Default)]
pub struct Pool {
    sharing: Arc<Sharing>,
}

impl Pool {
    pub fn spawn(&self, task: u32) {
        let mut todo = self.sharing.todo.lock().unwrap();
        if self.sharing.waiting.load(SeqCst) == 0 {
            self.add(task);
        } else {
            todo.push_back(task);
            self.sharing.more.notify_one();
        }
    }

    fn add(&self, first: u32) {
        let sharing = self.sharing.clone();
        thread::spawn(move || {
            let mut task = first;
            loop {
                println!("{task}");
                let mut todo = sharing.todo.lock().unwrap();
                task = loop {
                    if let Some(task) = todo.pop_front() {
                        break task;
                    }
                    sharing.waiting.fetch_add(1, SeqCst);
                    todo = sharing.more.wait(todo).unwrap();
                    sharing.waiting.fetch_sub(1, SeqCst);
                };
            }
        });
    }
}

/// What it does first is what it was started for: two are started.
#[derive(Default)]
pub struct Single {
    running: Arc<Mutex<u32>>,
}

impl Single {
    pub fn start(&self) {
        if *self.running.lock().unwrap() > 0 { //~
            return;
        }
        let running = self.running.clone();
        thread::spawn(move || {
            *running.lock().unwrap() += 1; //~
            loop {
                thread::park();
            }
        });
    }
}

/// The same with a flag: that both raise it is not all that comes of it.
#[derive(Default)]
pub struct Flagged {
    running: Arc<Mutex<bool>>,
}

impl Flagged {
    pub fn start(&self) {
        if *self.running.lock().unwrap() { //~
            return;
        }
        let running = self.running.clone();
        thread::spawn(move || {
            *running.lock().unwrap() = true; //~
            loop {
                println!("runs");
                thread::park();
            }
        });
    }
}
