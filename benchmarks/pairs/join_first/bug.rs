//! The report is written while the counting thread may still run.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
#[derive(Default)]
struct Counts { lines: AtomicUsize, words: AtomicUsize }
pub struct Report { pub lines: usize, pub words: usize }
pub fn count(text: String) -> Result<Report, mpsc::RecvError> {
    let counts = Arc::new(Counts::default());
    let (ack, acked) = mpsc::channel();
    let counter = thread::Builder::new()
        .name("count".into())
        .spawn({
            let counts = Arc::clone(&counts);
            move || {
                let _ = ack.send(text.len());
                for line in text.lines() {
                    counts.lines.fetch_add(1, Ordering::Relaxed);
                    counts.words.fetch_add(line.split(' ').count(), Ordering::Relaxed); //~
                }
            }
        })
        .expect("a thread");
    acked.recv()?;
    let report = Report {
        lines: counts.lines.load(Ordering::Relaxed),
        words: counts.words.load(Ordering::Relaxed), //~
    };
    counter.join().expect("no panic");
    Ok(report)
}
