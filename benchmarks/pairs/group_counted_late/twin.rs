// Whoever waits for the group may look before a member has been counted.
use std::sync::{Arc, Condvar, Mutex};

#[derive(Clone, Default)]
pub struct Group { members: Arc<(Mutex<usize>, Condvar)> }

impl Group {
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        let members = self.members.clone();
        *members.0.lock().unwrap() += 1;
        std::thread::spawn(move || {
            job();
            let mut count = members.0.lock().unwrap();
            *count -= 1;
            if *count == 0 { members.1.notify_all(); }
        });
    }
    pub fn wait(&self) {
        let mut count = self.members.0.lock().unwrap();
        while *count > 0 { count = self.members.1.wait(count).unwrap(); }
    }
    pub fn run_all(&self, jobs: Vec<Box<dyn FnOnce() + Send>>) {
        for job in jobs { self.run(job); }
        self.wait();
    }
}
