//! A number that was drawn stays what it is, whoever draws others: who takes out what has it, or holds it against what is there, may do so
//! late. What is put in with it may come out of order.

use std::sync::Mutex;

#[derive(Default)]
struct Counter {
    next: u64,
    served: u64,
    calls: Vec<(u64, String)>,
    order: Vec<u64>,
}

/// Who has drawn a number looks for what was said to it.
#[derive(Default)]
pub struct Counters {
    counter: Mutex<Counter>,
}

impl Counters {
    pub fn ask(&self) -> Option<String> {
        let number = {
            let mut counter = self.counter.lock().unwrap();
            counter.next += 1;
            counter.next
        };
        std::fs::write("question", number.to_string()).ok();
        let mut counter = self.counter.lock().unwrap();
        let at = counter.calls.iter().position(|(other, _)| *other == number)?;
        Some(counter.calls.swap_remove(at).1)
    }

    pub fn tell(&self, number: u64, text: String) {
        self.counter.lock().unwrap().calls.push((number, text));
    }
}

/// Who has drawn a number writes it down only if no later one is there.
#[derive(Default)]
pub struct Marks {
    counter: Mutex<Counter>,
}

impl Marks {
    pub fn serve(&self) {
        let number = {
            let mut counter = self.counter.lock().unwrap();
            counter.next += 1;
            counter.next
        };
        std::fs::write("served", number.to_string()).ok();
        let mut counter = self.counter.lock().unwrap();
        if counter.served < number {
            counter.served = number;
        }
    }
}

/// Who has drawn a number writes it down, be there a later one.
#[derive(Default)]
pub struct Stubs {
    counter: Mutex<Counter>,
}

impl Stubs {
    pub fn serve(&self) {
        let number = {
            let mut counter = self.counter.lock().unwrap();
            counter.next += 1;
            counter.next //~
        };
        std::fs::write("served", number.to_string()).ok();
        self.counter.lock().unwrap().order.push(number); //~
    }

    pub fn order(&self) -> Vec<u64> {
        self.counter.lock().unwrap().order.clone()
    }
}

/// The number goes up under another guard than it is seen under.
#[derive(Default)]
pub struct Rolls {
    counter: Mutex<Counter>,
}

impl Rolls {
    pub fn take(&self) -> Option<String> {
        let number = self.counter.lock().unwrap().next; //~
        let taken = {
            let mut counter = self.counter.lock().unwrap();
            let at = counter.calls.iter().position(|(other, _)| *other == number);
            at.map(|at| counter.calls.swap_remove(at).1) //~
        };
        self.counter.lock().unwrap().next += 1; //~
        taken
    }

    pub fn put(&self, number: u64, text: String) {
        self.counter.lock().unwrap().calls.push((number, text));
    }
}
