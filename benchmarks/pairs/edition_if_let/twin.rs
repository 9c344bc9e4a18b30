//! The guard of a `match`'s scrutinee lives to the end of the `match` (it is a temporary's).
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, atomic::{AtomicU32, Ordering::SeqCst}};
#[derive(Default)]
pub struct Names { gate: Mutex<HashMap<String, u32>>, next: AtomicU32, log: Mutex<RefCell<Vec<String>>> }
impl Names {
    pub fn number(&self, name: &str) -> u32 {
        match self.gate.lock().unwrap().entry(name.to_string()).or_insert(0) {
            number if *number > 0 => *number,
            number => {
                let new = self.next.fetch_add(1, SeqCst) + 1;
                *number = new;
                self.log.lock().unwrap().borrow_mut().push(name.to_string());
                new
            }
        }
    }
}
