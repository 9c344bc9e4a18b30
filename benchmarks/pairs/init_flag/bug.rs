//! `started` is looked at and set apart: two migrations run.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;
#[derive(Default)]
pub struct Database { started: AtomicBool, log: Mutex<Vec<String>> }
impl Database {
    fn migrate(&self, step: &str) { self.log.lock().unwrap().push(format!("applied {step}")); }
    pub fn ensure(&self, steps: &[&str]) -> usize {
        if self.started.load(Ordering::Acquire) { //~
            return 0;
        }
        self.started.store(true, Ordering::Release); //~
        steps.iter().for_each(|step| self.migrate(step));
        steps.len()
    }
    pub fn log(&self) -> Vec<String> { self.log.lock().unwrap().clone() }
}
