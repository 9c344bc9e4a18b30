//! A question is sent, and only then is entered who waits for the answer: one that comes first finds nobody.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};

pub struct Question {
    pub number: u64,
    pub text: String,
}

type Waiting = Mutex<HashMap<u64, Sender<String>>>;

/// Sends first.
pub struct Client {
    last: AtomicU64,
    waiting: Waiting,
    line: Sender<Question>,
}

impl Client {
    pub fn new(line: Sender<Question>) -> Client {
        Client { last: AtomicU64::new(0), waiting: Mutex::default(), line }
    }

    pub fn ask(&self, text: String) -> Option<Receiver<String>> {
        let number = self.last.fetch_add(1, SeqCst);
        let (answer, answered) = channel();
        self.line.send(Question { number, text }).ok()?; //~
        self.waiting.lock().unwrap().insert(number, answer); //~
        Some(answered)
    }

    pub fn answer(&self, number: u64, text: String) {
        if let Some(waiting) = self.waiting.lock().unwrap().remove(&number) { //~
            let _ = waiting.send(text);
        }
    }
}

/// The same with helpers: the number is made, sent and entered elsewhere.
pub struct Desk {
    last: AtomicU64,
    waiting: Waiting,
    line: Sender<String>,
}

impl Desk {
    pub fn new(line: Sender<String>) -> Desk {
        Desk { last: AtomicU64::new(0), waiting: Mutex::default(), line }
    }

    fn next(&self) -> u64 {
        self.last.fetch_add(1, SeqCst) + 1
    }

    async fn post(&self, number: u64, text: &str) -> bool {
        let line = format!("{number}: {text}");
        self.line.send(line).is_ok()
    }

    fn enter(&self, number: u64, answer: Sender<String>) {
        self.waiting.lock().unwrap().insert(number, answer); //~
    }

    pub async fn ask(&self, text: &str) -> Option<Receiver<String>> {
        let number = self.next();
        if !self.post(number, text).await { //~
            return None;
        }
        let (answer, answered) = channel();
        self.enter(number, answer);
        Some(answered)
    }

    pub fn answer(&self, line: &str) -> Option<()> {
        let (number, text) = line.split_once(": ")?;
        let waiting = self.waiting.lock().unwrap().remove(&number.parse().ok()?)?; //~
        waiting.send(text.to_string()).ok()
    }
}

/// Enters first, and takes it out again if nothing could be sent.
pub struct Counter {
    last: AtomicU64,
    waiting: Waiting,
    line: Sender<Question>,
}

impl Counter {
    pub fn new(line: Sender<Question>) -> Counter {
        Counter { last: AtomicU64::new(0), waiting: Mutex::default(), line }
    }

    pub fn ask(&self, text: String) -> Option<Receiver<String>> {
        let number = self.last.fetch_add(1, SeqCst);
        let (answer, answered) = channel();
        self.waiting.lock().unwrap().insert(number, answer);
        if self.line.send(Question { number, text }).is_err() {
            self.waiting.lock().unwrap().remove(&number);
            return None;
        }
        Some(answered)
    }

    pub fn answer(&self, number: u64, text: String) {
        if let Some(waiting) = self.waiting.lock().unwrap().remove(&number) {
            let _ = waiting.send(text);
        }
    }
}

/// Sends first, but whoever answers has to wait for the lock; and what is printed is no question.
pub struct Booth {
    last: AtomicU64,
    waiting: Waiting,
    line: Sender<Question>,
}

impl Booth {
    pub fn new(line: Sender<Question>) -> Booth {
        Booth { last: AtomicU64::new(0), waiting: Mutex::default(), line }
    }

    pub fn ask(&self, text: String) -> Option<Receiver<String>> {
        let number = self.last.fetch_add(1, SeqCst);
        println!("question {number}");
        let (answer, answered) = channel();
        let mut waiting = self.waiting.lock().unwrap();
        self.line.send(Question { number, text }).ok()?;
        waiting.insert(number, answer);
        Some(answered)
    }

    pub fn answer(&self, number: u64, text: String) {
        if let Some(waiting) = self.waiting.lock().unwrap().remove(&number) {
            let _ = waiting.send(text);
        }
    }
}

/// Another number is sent than is entered.
pub struct Relay {
    last: AtomicU64,
    waiting: Waiting,
    line: Sender<u64>,
}

impl Relay {
    pub fn new(line: Sender<u64>) -> Relay {
        Relay { last: AtomicU64::new(0), waiting: Mutex::default(), line }
    }

    pub fn ask(&self, other: u64) -> Option<Receiver<String>> {
        let number = self.last.fetch_add(1, SeqCst);
        self.line.send(other).ok()?;
        let (answer, answered) = channel();
        self.waiting.lock().unwrap().insert(number, answer);
        Some(answered)
    }

    pub fn answer(&self, number: u64, text: String) {
        if let Some(waiting) = self.waiting.lock().unwrap().remove(&number) {
            let _ = waiting.send(text);
        }
    }
}
