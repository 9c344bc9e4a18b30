//! What an event does, and what a task that it starts does.

use std::sync::{Arc, Mutex};
use std::thread;

/// Two lists with a lock each, and nobody looks at both.
#[derive(Default)]
pub struct Journal {
    lines: Mutex<Vec<String>>,
    open: Mutex<Vec<u64>>,
}

impl Journal {
    pub fn begin(self: Arc<Self>, id: u64) {
        self.open.lock().unwrap().push(id);
        self.lines.lock().unwrap().clear();
        thread::spawn(move || self.open.lock().unwrap().clear());
    }

    pub fn count(&self) -> usize {
        self.lines.lock().unwrap().len()
    }

    pub fn busy(&self) -> usize {
        self.open.lock().unwrap().len()
    }
}

#[derive(Default)]
struct Run {
    lines: Vec<String>,
    title: String,
}

/// One lock for both.
#[derive(Default)]
pub struct Log {
    run: Mutex<Run>,
}

impl Log {
    pub fn begin(self: Arc<Self>, title: String) {
        self.run.lock().unwrap().lines.clear(); //~
        thread::spawn(move || self.run.lock().unwrap().title = title); //~
    }

    pub fn show(&self) -> String {
        let run = self.run.lock().unwrap();
        format!("{}: {}", run.title, run.lines.len())
    }

    pub fn add(&self, title: String, line: String) {
        let mut run = self.run.lock().unwrap();
        run.lines.push(line); //~
        run.title = title; //~
    }
}

/// The task watches what others do: that is what its loop is for.
#[derive(Default)]
pub struct Monitor {
    online: Mutex<bool>,
}

impl Monitor {
    pub fn start(self: Arc<Self>) {
        *self.online.lock().unwrap() = true;
        thread::spawn(move || {
            while *self.online.lock().unwrap() {
                thread::yield_now();
            }
        });
    }

    pub fn stop(&self) {
        *self.online.lock().unwrap() = false;
    }
}

/// The task looks once for what it was started with.
#[derive(Default)]
pub struct Printer {
    page: Mutex<u64>,
}

impl Printer {
    pub fn print(self: Arc<Self>, page: u64) {
        *self.page.lock().unwrap() = page; //~
        thread::spawn(move || println!("{}", self.page.lock().unwrap())); //~
    }
}
