//! Guards whose `drop` asks a field of theirs whether the work is done.

use std::collections::HashMap;
use std::sync::Mutex;

#[derive(Debug, Default)]
pub struct Jobs {
    running: Mutex<HashMap<u64, u64>>,
}

struct Running<'a> {
    jobs: &'a Jobs,
    id: u64,
    done: bool,
}

impl Running<'_> {
    fn finish(&mut self) {
        if !self.done {
            self.done = true;
        }
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        self.jobs.running.lock().unwrap().remove(&self.id);
        self.finish();
    }
}

impl Jobs {
    fn begin(&self, id: u64) -> Option<Running<'_>> {
        let mut running = self.running.lock().unwrap();
        if running.contains_key(&id) {
            return None;
        }
        running.insert(id, 1);
        drop(running);
        Some(Running { jobs: self, id, done: false })
    }

    /// What is taken out says that the guard has nothing to do any more.
    pub fn run(&self, id: u64) -> Option<u64> {
        let mut guard = self.begin(id)?;
        let cost = self.running.lock().unwrap().remove(&id).unwrap();
        guard.finish();
        Some(cost)
    }
}

#[derive(Debug, Default)]
pub struct Tasks {
    running: Mutex<HashMap<u64, u64>>,
}

struct Started<'a> {
    tasks: &'a Tasks,
    id: u64,
    done: bool,
}

impl Drop for Started<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        self.tasks.running.lock().unwrap().remove(&self.id); //~
    }
}

impl Tasks {
    fn begin(&self, id: u64) -> Option<Started<'_>> {
        let mut running = self.running.lock().unwrap();
        if running.contains_key(&id) {
            return None;
        }
        running.insert(id, 1); //~
        drop(running);
        Some(Started { tasks: self, id, done: false })
    }

    /// The guard takes out what another one may have put in by then.
    pub fn run(&self, id: u64) -> Option<u64> {
        let mut guard = self.begin(id)?;
        let cost = self.running.lock().unwrap().remove(&id).unwrap(); //~
        guard.done = cost > 100;
        Some(cost)
    }
}
