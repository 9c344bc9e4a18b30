// The rounds of a flusher that a constructor starts: copy, write out, clear. What came between copy and clear is gone.
use parking_lot::{Condvar, Mutex};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

struct Shared { lines: Mutex<Vec<String>>, wake: Condvar }

pub struct Journal { shared: Arc<Shared> }

impl Journal {
    pub fn open(mut file: std::fs::File) -> Journal {
        let shared = Arc::new(Shared { lines: Mutex::default(), wake: Condvar::new() });
        let flushed = shared.clone();
        std::thread::spawn(move || loop {
            let batch = {
                let mut lines = flushed.lines.lock();
                while lines.is_empty() { flushed.wake.wait_for(&mut lines, Duration::from_secs(1)); }
                lines.clone() //~
            };
            for line in &batch {
                if writeln!(file, "{line}").is_err() { return; }
            }
            flushed.lines.lock().clear(); //~
        });
        Journal { shared }
    }
    pub fn append(&self, line: String) {
        self.shared.lines.lock().push(line);
        self.shared.wake.notify_one();
    }
}
