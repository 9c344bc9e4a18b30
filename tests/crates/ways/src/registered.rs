//! Who waits enters itself in a list, and takes itself out again when it has waited long enough.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

struct Call {
    is_served: AtomicBool,
}

impl Call {
    fn wait(&self) -> bool {
        std::thread::park_timeout(Duration::from_secs(1));
        self.is_served.load(Ordering::Acquire)
    }
}

struct Desk {
    free: VecDeque<u32>,
    calls: VecDeque<Arc<Call>>,
}

/// Under the guard under which there was nothing free; it is looked for under the guard under which it is given up.
pub struct Hotel {
    desk: Mutex<Desk>,
}

impl Hotel {
    pub fn new(rooms: u32) -> Hotel {
        Hotel { desk: Mutex::new(Desk { free: (0..rooms).collect(), calls: VecDeque::new() }) }
    }

    pub fn check_in(&self) -> bool {
        let mut desk = self.desk.lock().unwrap();
        if desk.free.pop_front().is_some() {
            return true;
        }
        let call = Arc::new(Call { is_served: AtomicBool::new(false) });
        desk.calls.push_back(call.clone());
        drop(desk);
        if call.wait() {
            return true;
        }
        let mut desk = self.desk.lock().unwrap();
        for number in 0..desk.calls.len() {
            if Arc::ptr_eq(&desk.calls[number], &call) {
                desk.calls.remove(number);
                return false;
            }
        }
        true
    }

    pub fn check_out(&self, room: u32) {
        let mut desk = self.desk.lock().unwrap();
        match desk.calls.pop_front() {
            Some(call) => call.is_served.store(true, Ordering::Release),
            None => desk.free.push_back(room),
        }
    }
}

/// The entry is made under another guard than the look.
#[derive(Default)]
pub struct Hostel {
    free: Mutex<VecDeque<u32>>,
    calls: Mutex<VecDeque<u64>>,
    next: AtomicU64,
}

impl Hostel {
    pub fn check_in(&self) -> bool {
        if self.free.lock().unwrap().pop_front().is_some() { //~
            return true;
        }
        let call = self.next.fetch_add(1, Ordering::SeqCst);
        self.calls.lock().unwrap().push_back(call); //~
        std::thread::park_timeout(Duration::from_secs(1));
        let mut calls = self.calls.lock().unwrap();
        match calls.iter().position(|other| *other == call) {
            Some(number) => calls.remove(number).is_none(),
            None => true,
        }
    }

    pub fn check_out(&self, room: u32) {
        if self.calls.lock().unwrap().pop_front().is_none() { //~
            self.free.lock().unwrap().push_back(room); //~
        }
    }
}
