//! Readers draw tickets, and who has the ticket `current + inside` goes in. No two have the same ticket, so nobody counts itself in between another one's look and its change.
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
        Ticket(self.next.fetch_add(1, SeqCst))
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
