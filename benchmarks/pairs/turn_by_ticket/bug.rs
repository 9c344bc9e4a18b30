//! Readers draw tickets by looking at the next and then writing it: two get the same, both go in at once, and the place of the one after them never comes.
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

#[derive(Default)]
pub struct Gate {
    next: AtomicUsize,
    current: AtomicUsize,
    inside: AtomicUsize,
}

pub struct Ticket(usize);

pub struct Inside(());

impl Gate {
    pub fn draw(&self) -> Ticket {
        let next = self.next.load(SeqCst); //~
        self.next.store(next + 1, SeqCst); //~
        Ticket(next)
    }
    pub fn enter(&self, ticket: Ticket) -> Result<Inside, Ticket> {
        if ticket.0 == self.current.load(SeqCst) + self.inside.load(SeqCst) {
            self.inside.fetch_add(1, SeqCst);
            return Ok(Inside(()));
        }
        Err(ticket)
    }
    pub fn leave(&self, inside: Inside) {
        drop(inside);
        self.inside.fetch_sub(1, SeqCst);
        self.current.fetch_add(1, SeqCst);
    }
}
