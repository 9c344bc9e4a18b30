//! The guard of the look ends with its statement.
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, atomic::{AtomicU32, Ordering::SeqCst}};
#[derive(Default)]
pub struct Names { gate: Mutex<HashMap<String, u32>>, next: AtomicU32, log: Mutex<RefCell<Vec<String>>> }
impl Names {
    pub fn number(&self, name: &str) -> u32 {
        let known = self.gate.lock().unwrap().get(name).copied(); //~
        match known {
            Some(number) => number,
            None => {
                let new = self.next.fetch_add(1, SeqCst) + 1;
                self.gate.lock().unwrap().insert(name.to_string(), new); //~
                self.log.lock().unwrap().borrow_mut().push(name.to_string());
                new
            }
        }
    }
}
