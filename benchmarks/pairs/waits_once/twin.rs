//! Looked at again when woken.
use std::collections::BinaryHeap;
use std::sync::{Condvar, Mutex};
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket { priority: u8, text: String }
#[derive(Default)]
pub struct Desk { tickets: Mutex<BinaryHeap<Ticket>>, more: Condvar }
impl Desk {
    pub fn add(&self, priority: u8, text: String) {
        self.tickets.lock().unwrap().push(Ticket { priority, text });
        self.more.notify_all();
    }
    pub fn next(&self) -> String {
        let mut tickets = self.tickets.lock().unwrap();
        while tickets.is_empty() {
            tickets = self.more.wait(tickets).unwrap();
        }
        tickets.pop().unwrap().text
    }
}
