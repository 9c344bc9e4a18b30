//! Tasks that a loop starts and of which all are waited for: behind that nothing of them runs any more. Whoever leaves off earlier has them beside
//! what comes then, and beside the next call.

use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use tokio::task::JoinSet;

type Total = Arc<Mutex<Vec<u64>>>;

pub struct Waits {
    total: Total,
}

fn sum(total: &Total) -> u64 {
    let mut total = total.lock().unwrap();
    let sum = total.iter().sum();
    total.clear();
    sum
}

impl Waits {
    pub fn new() -> Waits {
        Waits { total: Total::default() }
    }

    fn start(&self, number: u64) -> JoinHandle<()> {
        let total = self.total.clone();
        thread::spawn(move || total.lock().unwrap().push(number))
    }

    pub fn one(&mut self) -> u64 {
        let handle = self.start(1);
        handle.join().unwrap();
        sum(&self.total)
    }

    pub fn each(&mut self, numbers: u64) -> u64 {
        let mut handles = Vec::new();
        for number in 0..numbers {
            let total = self.total.clone();
            handles.push(thread::spawn(move || total.lock().unwrap().push(number)));
        }
        for handle in handles {
            handle.join().unwrap();
        }
        sum(&self.total)
    }

    pub fn mapped(&mut self, numbers: u64) -> u64 {
        let handles: Vec<_> = (0..numbers).map(|number| self.start(number)).collect();
        for handle in handles {
            handle.join().unwrap();
        }
        sum(&self.total)
    }
}

pub struct Sets {
    total: Total,
}

impl Sets {
    pub fn new() -> Sets {
        Sets { total: Total::default() }
    }

    pub async fn each(&mut self, numbers: u64) -> u64 {
        let mut set = JoinSet::new();
        for number in 0..numbers {
            let total = self.total.clone();
            set.spawn(async move { total.lock().unwrap().push(number) });
        }
        while set.join_next().await.is_some() {}
        sum(&self.total)
    }
}

/// Leaves off at the first that failed.
pub struct LeavesOff {
    total: Total,
}

impl LeavesOff {
    pub fn new() -> LeavesOff {
        LeavesOff { total: Total::default() }
    }

    pub fn each(&mut self, numbers: u64) -> u64 {
        let mut handles = Vec::new();
        for number in 0..numbers {
            let total = self.total.clone();
            handles.push(thread::spawn(move || total.lock().unwrap().push(number))); //~
        }
        for handle in handles {
            if handle.join().is_err() {
                break;
            }
        }
        let mut total = self.total.lock().unwrap();
        let sum = total.iter().sum(); //~
        total.clear(); //~
        sum
    }
}

/// Waits for some.
pub struct WaitsForSome {
    total: Total,
}

impl WaitsForSome {
    pub fn new() -> WaitsForSome {
        WaitsForSome { total: Total::default() }
    }

    pub fn each(&mut self, numbers: u64, even: bool) -> u64 {
        let mut handles = Vec::new();
        for number in 0..numbers {
            let total = self.total.clone();
            handles.push(thread::spawn(move || total.lock().unwrap().push(number))); //~
        }
        for handle in handles {
            if even {
                handle.join().unwrap();
            }
        }
        let mut total = self.total.lock().unwrap();
        let sum = total.iter().sum(); //~
        total.clear(); //~
        sum
    }
}

/// Waits until few are left.
pub struct LeavesFew {
    total: Total,
}

impl LeavesFew {
    pub fn new() -> LeavesFew {
        LeavesFew { total: Total::default() }
    }

    pub async fn each(&mut self, numbers: u64) -> u64 {
        let mut set = JoinSet::new();
        for number in 0..numbers {
            let total = self.total.clone();
            set.spawn(async move { total.lock().unwrap().push(number) }); //~
        }
        while set.len() > 2 {
            set.join_next().await;
        }
        set.detach_all();
        let mut total = self.total.lock().unwrap();
        let sum = total.iter().sum(); //~
        total.clear(); //~
        sum
    }
}

/// Waits for none.
pub struct LetsGo {
    total: Total,
}

impl LetsGo {
    pub fn new() -> LetsGo {
        LetsGo { total: Total::default() }
    }

    fn start(&self, number: u64) -> JoinHandle<()> {
        let total = self.total.clone();
        thread::spawn(move || total.lock().unwrap().push(number)) //~
    }

    pub fn each(&mut self, numbers: u64) -> u64 {
        let handles: Vec<_> = (0..numbers).map(|number| self.start(number)).collect();
        drop(handles);
        let mut total = self.total.lock().unwrap();
        let sum = total.iter().sum(); //~
        total.clear(); //~
        sum
    }
}

/// What they do to one another while they are waited for.
pub struct Beside {
    total: Arc<Mutex<u64>>,
}

impl Beside {
    pub fn new() -> Beside {
        Beside { total: Arc::default() }
    }

    pub fn each(&mut self, numbers: u64) {
        let mut handles = Vec::new();
        for number in 0..numbers {
            let total = self.total.clone();
            handles.push(thread::spawn(move || {
                let before = *total.lock().unwrap(); //~
                *total.lock().unwrap() = before + number; //~
            }));
        }
        for handle in handles {
            handle.join().unwrap();
        }
    }
}
