//! A log kept in memory until it is flushed.

use std::io::Write;
use std::sync::Mutex;

#[derive(Default)]
pub struct Log {
    lines: Mutex<Vec<String>>,
}

impl Log {
    pub fn line(&self, text: &str) {
        self.lines.lock().unwrap().push(text.to_owned());
    }

    pub fn flush(&self) -> std::io::Result<()> {
        let lines = std::mem::take(&mut *self.lines.lock().unwrap());
        let mut out = std::io::stderr().lock();
        for line in lines {
            writeln!(out, "{line}")?;
        }
        Ok(())
    }
}
