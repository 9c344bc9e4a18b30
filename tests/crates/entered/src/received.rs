//! Something is sent, and only then is done what its receiver goes by.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;

/// A job is sent before it is counted: whoever has done it counts it off first.
pub struct Counted {
    jobs: Mutex<Sender<String>>,
    waiting: Arc<AtomicUsize>,
}

impl Counted {
    pub fn new() -> Counted {
        let (jobs, received) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counted = waiting.clone();
        thread::spawn(move || work(received, counted));
        Counted { jobs: Mutex::new(jobs), waiting }
    }

    pub fn add(&self, job: String) {
        if self.jobs.lock().unwrap().send(job).is_ok() { //~
            self.waiting.fetch_add(1, SeqCst); //~
        }
    }
}

fn work(jobs: Receiver<String>, waiting: Arc<AtomicUsize>) {
    while let Ok(job) = jobs.recv() {
        println!("{job}");
        if waiting.fetch_sub(1, SeqCst) == 1 { //~
            println!("all is done");
        }
    }
}

/// Counted first. Of several jobs the next one is counted when one is sent already.
pub struct CountedFirst {
    jobs: Mutex<Sender<String>>,
    waiting: Arc<AtomicUsize>,
}

impl CountedFirst {
    pub fn new() -> CountedFirst {
        let (jobs, received) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        let counted = waiting.clone();
        thread::spawn(move || work_when_counted(received, counted));
        CountedFirst { jobs: Mutex::new(jobs), waiting }
    }

    pub fn add(&self, jobs: Vec<String>) {
        for job in jobs {
            self.waiting.fetch_add(1, SeqCst);
            let _ = self.jobs.lock().unwrap().send(job);
        }
    }
}

fn work_when_counted(jobs: Receiver<String>, waiting: Arc<AtomicUsize>) {
    while let Ok(job) = jobs.recv() {
        println!("{job}");
        if waiting.fetch_sub(1, SeqCst) == 1 {
            println!("all is done");
        }
    }
}

type Names = Arc<Mutex<HashMap<u64, String>>>;

/// What is sent is of several kinds: only who has received this one goes by the entry.
pub enum Command {
    Greet(u64),
    Leave(u64),
}

pub struct Guests {
    commands: Mutex<Sender<Command>>,
    names: Names,
}

impl Guests {
    pub fn new() -> Guests {
        let (commands, received) = channel();
        let names = Names::default();
        let known = names.clone();
        thread::spawn(move || {
            while let Ok(command) = received.recv() {
                match command {
                    Command::Greet(id) => println!("hello, {id}"),
                    Command::Leave(id) => {
                        if let Some(name) = known.lock().unwrap().remove(&id) {
                            println!("bye, {name}");
                        }
                    }
                }
            }
        });
        Guests { commands: Mutex::new(commands), names }
    }

    pub fn come(&self, id: u64, name: String) {
        if self.commands.lock().unwrap().send(Command::Greet(id)).is_ok() {
            self.names.lock().unwrap().insert(id, name);
        }
    }

    pub fn leave(&self, id: u64) {
        let _ = self.commands.lock().unwrap().send(Command::Leave(id));
    }
}

pub enum Call {
    Serve(u64),
    Close,
}

/// Here it is this kind.
pub struct Tables {
    calls: Mutex<Sender<Call>>,
    orders: Names,
}

impl Tables {
    pub fn new() -> Tables {
        let (calls, received) = channel();
        let orders = Names::default();
        let known = orders.clone();
        thread::spawn(move || {
            while let Ok(call) = received.recv() {
                match call {
                    Call::Serve(table) => match known.lock().unwrap().remove(&table) { //~
                        Some(order) => println!("{order}"),
                        None => println!("nothing was ordered"),
                    },
                    Call::Close => break,
                }
            }
        });
        Tables { calls: Mutex::new(calls), orders }
    }

    pub fn order(&self, table: u64, order: String) {
        if self.calls.lock().unwrap().send(Call::Serve(table)).is_ok() { //~
            self.orders.lock().unwrap().insert(table, order); //~
        }
    }

    pub fn close(&self) {
        let _ = self.calls.lock().unwrap().send(Call::Close);
    }
}

/// What is entered has nothing to do with what was sent.
pub struct Replaced {
    old: Mutex<Sender<u64>>,
    names: Names,
}

impl Replaced {
    pub fn new() -> Replaced {
        let (old, received) = channel();
        let names = Names::default();
        let known = names.clone();
        thread::spawn(move || {
            while let Ok(id) = received.recv() {
                known.lock().unwrap().remove(&id);
            }
        });
        Replaced { old: Mutex::new(old), names }
    }

    pub fn replace(&self, old: u64, new: u64, name: String) {
        let _ = self.old.lock().unwrap().send(old);
        self.names.lock().unwrap().insert(new, name);
    }
}

/// A loop over the receiver.
pub struct Listed {
    lines: Mutex<Sender<char>>,
    left: Arc<AtomicUsize>,
}

impl Listed {
    pub fn new() -> Listed {
        let (lines, received) = channel();
        let left = Arc::new(AtomicUsize::new(0));
        let counted = left.clone();
        thread::spawn(move || read(received, counted));
        Listed { lines: Mutex::new(lines), left }
    }

    pub fn add(&self, line: char) {
        if self.lines.lock().unwrap().send(line).is_ok() { //~
            self.left.fetch_add(1, SeqCst); //~
        }
    }
}

fn read(lines: Receiver<char>, left: Arc<AtomicUsize>) {
    for line in lines {
        println!("{line}");
        if left.fetch_sub(1, SeqCst) == 1 { //~
            println!("all is read");
        }
    }
}
