//! What goes into one field of a struct says nothing of the others, through whichever functions the struct goes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

type Registry = Arc<Mutex<HashMap<String, Arc<AtomicUsize>>>>;

/// What it has found it keeps beside the next name, which has nothing of it.
pub struct Visitor {
    registry: Registry,
    found: HashMap<String, Arc<AtomicUsize>>,
    next: Option<String>,
}

impl Visitor {
    pub fn of(registry: &Registry) -> Visitor {
        Visitor { registry: registry.clone(), found: HashMap::new(), next: None }
    }

    fn count(&mut self, name: &str) {
        if !self.found.contains_key(name) {
            let counter = self.registry.lock().unwrap().entry(name.to_owned()).or_default().clone();
            self.found.insert(name.to_owned(), counter);
        }
        self.found[name].fetch_add(1, SeqCst);
    }

    fn flush(&mut self) {
        if let Some(name) = self.next.take() {
            self.count(&name);
        }
    }

    pub fn visit(&mut self, name: &str, twice: bool) {
        if twice {
            self.flush();
            self.next = Some(name.to_owned());
        }
        self.flush();
        self.next = Some(name.to_owned());
    }
}

/// A ticket has its number and the till that gave it out: who asks the till again does not go by the number.
#[derive(Clone)]
pub struct Till {
    next: Arc<Mutex<u64>>,
    sold: Arc<Mutex<u64>>,
}

pub struct Ticket {
    number: u64,
    till: Till,
}

impl Till {
    pub fn new() -> Till {
        Till { next: Arc::default(), sold: Arc::default() }
    }

    fn number(&self) -> u64 {
        let mut next = self.next.lock().unwrap();
        *next += 1;
        *next
    }

    fn ticket(&self) -> Ticket {
        Ticket { number: self.number(), till: self.clone() }
    }

    fn first(&self) -> Result<Ticket, String> {
        let ticket = self.ticket();
        if ticket.number > 1_000 { Err("sold out".into()) } else { Ok(ticket) }
    }

    /// Two numbers, one after the other, the second one of the till that is in the first ticket.
    pub fn pair(&self) -> Vec<Ticket> {
        let one = self.ticket();
        let other = one.till.ticket();
        vec![one, other]
    }

    /// What is written down is the number.
    pub fn note(&self) -> Option<u64> {
        let ticket = self.first().ok()?;
        let sold = *ticket.till.sold.lock().unwrap(); //~
        *ticket.till.sold.lock().unwrap() = sold + ticket.number; //~
        Some(ticket.number)
    }
}

/// What is in one field of it goes into the other one by name: that is found there.
pub struct Cart {
    stock: Arc<Mutex<u32>>,
    seen: u32,
    wanted: u32,
}

impl Cart {
    pub fn of(stock: &Arc<Mutex<u32>>) -> Cart {
        Cart { stock: stock.clone(), seen: 0, wanted: 0 }
    }

    fn look(&mut self) {
        self.seen = *self.stock.lock().unwrap(); //~
    }

    fn want(&mut self) {
        self.wanted = self.seen / 2;
    }

    fn take(&mut self) {
        *self.stock.lock().unwrap() = self.wanted; //~
    }

    pub fn halve(mut self) {
        self.look();
        self.want();
        self.take();
    }
}
