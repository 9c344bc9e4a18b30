//! A future that was awaited has nothing left to drop.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

type Running = Arc<Mutex<HashMap<u64, u64>>>;

/// Takes out what it was made for.
struct Entry {
    running: Running,
    id: u64,
    done: bool,
}

impl Drop for Entry {
    fn drop(&mut self) {
        if !self.done {
            self.running.lock().unwrap().remove(&self.id);
        }
    }
}

async fn run(running: &Mutex<HashMap<u64, u64>>, id: u64, mut entry: Entry) -> u64 {
    tokio::task::yield_now().await;
    let cost = running.lock().unwrap().remove(&id).unwrap();
    entry.done = true;
    cost
}

#[derive(Default)]
pub struct Jobs {
    running: Running,
}

impl Jobs {
    pub async fn start(&self, id: u64) -> Option<u64> {
        let entry = {
            let mut running = self.running.lock().unwrap();
            if running.contains_key(&id) {
                return None;
            }
            running.insert(id, 1);
            Entry { running: self.running.clone(), id, done: false }
        };
        Some(run(&self.running, id, entry).await)
    }
}

async fn run_late(running: &Mutex<HashMap<u64, u64>>, id: u64, mut entry: Late) -> u64 {
    tokio::task::yield_now().await;
    let cost = running.lock().unwrap().remove(&id).unwrap(); //~
    entry.done = cost > 100;
    cost
}

/// As [`Entry`], of a job that does not say that it is done.
struct Late {
    running: Running,
    id: u64,
    done: bool,
}

impl Drop for Late {
    fn drop(&mut self) {
        if !self.done {
            self.running.lock().unwrap().remove(&self.id); //~
        }
    }
}

#[derive(Default)]
pub struct LateJobs {
    running: Running,
}

impl LateJobs {
    pub async fn start(&self, id: u64) -> Option<u64> {
        let entry = {
            let mut running = self.running.lock().unwrap();
            if running.contains_key(&id) {
                return None;
            }
            running.insert(id, 1); //~
            Late { running: self.running.clone(), id, done: false }
        };
        Some(run_late(&self.running, id, entry).await)
    }
}
