//! Taken out at once.
use std::io::{self, Write};
use std::sync::Mutex;
pub struct Journal<W> { pending: Mutex<Vec<String>>, out: Mutex<W> }
impl<W: Write> Journal<W> {
    pub fn new(out: W) -> Self { Journal { pending: Mutex::default(), out: Mutex::new(out) } }
    pub fn note(&self, line: impl Into<String>) { self.pending.lock().unwrap().push(line.into()); }
    pub fn flush(&self) -> io::Result<usize> {
        let lines = std::mem::take(&mut *self.pending.lock().unwrap());
        let mut out = self.out.lock().unwrap();
        for line in &lines {
            writeln!(out, "{line}")?;
        }
        out.flush()?;
        Ok(lines.len())
    }
}
pub fn journal() -> Journal<io::Stdout> { Journal::new(io::stdout()) }
