//! What is counted behind the message that it is counted for: whoever has received it counts it off before.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;

/// As many as were counted.
fn export(spans: &Receiver<String>, waiting: &AtomicUsize) -> usize {
    let goal = waiting.load(Ordering::Acquire);
    let mut done = 0;
    while done < goal {
        let Ok(span) = spans.try_recv() else { break }; //~
        println!("{span}");
        done += 1;
        waiting.fetch_sub(1, Ordering::AcqRel); //~
    }
    done
}

pub struct CountedLate {
    spans: SyncSender<String>,
    flushes: Sender<Sender<usize>>,
    waiting: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl CountedLate {
    pub fn start() -> CountedLate {
        let (spans, queue) = sync_channel(2048);
        let (flushes, orders) = channel::<Sender<usize>>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counted = waiting.clone();
        let thread = std::thread::spawn(move || {
            while let Ok(answer) = orders.recv() {
                let _ = answer.send(export(&queue, &counted));
            }
        });
        CountedLate { spans, flushes, waiting, thread }
    }

    pub fn end(&self, span: String) -> bool {
        if self.spans.try_send(span).is_err() { //~
            return false;
        }
        self.waiting.fetch_add(1, Ordering::AcqRel); //~
        true
    }

    pub fn flush(&self) -> usize {
        let (answer, answered) = channel();
        let _ = self.flushes.send(answer);
        answered.recv().unwrap_or(0)
    }

    pub fn stop(self) {
        drop(self.flushes);
        let _ = self.thread.join();
    }
}

fn export_all(spans: &Receiver<String>, waiting: &AtomicUsize) -> usize {
    let goal = waiting.load(Ordering::Acquire);
    let mut done = 0;
    while done < goal {
        let Ok(span) = spans.try_recv() else { break };
        println!("{span}");
        done += 1;
        waiting.fetch_sub(1, Ordering::AcqRel);
    }
    done
}

/// Counted first, and counted off again if it was not sent.
pub struct CountedInTime {
    spans: SyncSender<String>,
    flushes: Sender<Sender<usize>>,
    waiting: Arc<AtomicUsize>,
    thread: JoinHandle<()>,
}

impl CountedInTime {
    pub fn start() -> CountedInTime {
        let (spans, queue) = sync_channel(2048);
        let (flushes, orders) = channel::<Sender<usize>>();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counted = waiting.clone();
        let thread = std::thread::spawn(move || {
            while let Ok(answer) = orders.recv() {
                let _ = answer.send(export_all(&queue, &counted));
            }
        });
        CountedInTime { spans, flushes, waiting, thread }
    }

    pub fn end(&self, span: String) -> bool {
        self.waiting.fetch_add(1, Ordering::AcqRel);
        if self.spans.try_send(span).is_err() {
            self.waiting.fetch_sub(1, Ordering::AcqRel);
            return false;
        }
        true
    }

    pub fn flush(&self) -> usize {
        let (answer, answered) = channel();
        let _ = self.flushes.send(answer);
        answered.recv().unwrap_or(0)
    }

    pub fn stop(self) {
        drop(self.flushes);
        let _ = self.thread.join();
    }
}
