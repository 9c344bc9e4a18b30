//! Orders of the tasks that one call starts.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

#[derive(Clone)]
pub struct Feed {
    lines: Arc<Mutex<Vec<String>>>,
    open: Arc<AtomicBool>,
}

/// How it stands is told as it is when it is asked for: whatever comes in later is no news by then.
pub fn follow(lines: Vec<String>) -> (Feed, usize) {
    let feed = Feed { lines: Arc::default(), open: Arc::new(AtomicBool::new(true)) };
    let theirs = feed.clone();
    thread::spawn(move || {
        for line in lines {
            theirs.lines.lock().unwrap().push(line);
        }
        theirs.open.store(false, Ordering::SeqCst);
    });
    let count = feed.lines.lock().unwrap().len();
    (feed, count)
}

/// An answer is only sent if it is there when the task looks.
#[derive(Default)]
pub struct Mail {
    sent: Arc<Mutex<Vec<u32>>>,
}

impl Mail {
    pub fn answer(&self, id: u32) {
        let answered = Arc::new(AtomicBool::new(false));
        let (theirs, sent) = (answered.clone(), self.sent.clone());
        thread::spawn(move || {
            if theirs.load(Ordering::SeqCst) { //~
                sent.lock().unwrap().push(id);
            }
        });
        answered.store(true, Ordering::SeqCst); //~
    }

    pub fn sent(&self) -> usize {
        self.sent.lock().unwrap().len()
    }
}

/// Which of them is the last to say how it stands is left open.
pub fn state(shown: Arc<Mutex<String>>) {
    let theirs = shown.clone();
    thread::spawn(move || *theirs.lock().unwrap() = "done".to_owned()); //~
    *shown.lock().unwrap() = "begun".to_owned(); //~
}
