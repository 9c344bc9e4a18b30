// `try_lock` gives an optional guard; whether it is kept makes the difference.
use parking_lot::{Mutex, MutexGuard};
use std::time::Instant;

#[derive(Default)]
pub struct Report { lines: Vec<String>, started: Option<Instant> }

#[derive(Default)]
pub struct Reporter { report: Mutex<Report> }

impl Reporter {
    fn idle(&self) -> Option<MutexGuard<'_, Report>> {
        let guard = self.report.try_lock()?;
        if guard.started.is_some() { None } else { Some(guard) }
    }
    pub fn start(&self, title: &str) -> bool {
        if self.idle().is_none() { //~
            return false;
        }
        let mut report = self.report.lock();
        report.started = Some(Instant::now()); //~
        report.lines = vec![title.to_string()];
        true
    }
    pub fn line(&self, line: String) { self.report.lock().lines.push(line); }
    pub fn finish(&self) -> Vec<String> {
        let mut report = self.report.lock();
        report.started = None;
        std::mem::take(&mut report.lines)
    }
}
