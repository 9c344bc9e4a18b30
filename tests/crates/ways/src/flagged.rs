//! Who has entered something takes it out again, and a flag says who has.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

#[derive(Clone, Default)]
pub struct Flights {
    under_way: Arc<Mutex<HashMap<String, Arc<u32>>>>,
    in_pairs: Arc<Mutex<HashMap<String, Arc<u32>>>>,
    cleaned: Arc<Mutex<HashMap<String, Arc<u32>>>>,
    inverted: Arc<Mutex<HashMap<String, Arc<u32>>>>,
}

struct Landing {
    of: Arc<Mutex<HashMap<String, Arc<u32>>>>,
    name: String,
}

impl Drop for Landing {
    fn drop(&mut self) {
        self.of.lock().unwrap().remove(&self.name);
    }
}

struct Crash {
    of: Arc<Mutex<HashMap<String, Arc<u32>>>>,
    name: String,
}

impl Drop for Crash {
    fn drop(&mut self) {
        self.of.lock().unwrap().remove(&self.name); //~
    }
}

async fn fly(plan: Arc<u32>) -> u32 {
    tokio::task::yield_now().await;
    *plan
}

impl Flights {
    /// A local that was false before.
    pub async fn alone(&self, name: String) -> u32 {
        let mut is_first = false;
        let plan = {
            let mut all = self.under_way.lock().unwrap();
            match all.get(&name) {
                Some(plan) => plan.clone(),
                None => {
                    let plan = Arc::new(name.len() as u32);
                    all.insert(name.clone(), plan.clone());
                    is_first = true;
                    plan
                }
            }
        };
        let flown = fly(plan).await;
        if is_first {
            self.under_way.lock().unwrap().remove(&name);
        }
        flown
    }

    /// Out of a tuple.
    pub async fn paired(&self, name: String) -> u32 {
        let (plan, is_first) = {
            let mut all = self.in_pairs.lock().unwrap();
            match all.get(&name) {
                Some(plan) => (plan.clone(), false),
                None => {
                    let plan = Arc::new(name.len() as u32);
                    all.insert(name.clone(), plan.clone());
                    (plan, true)
                }
            }
        };
        let flown = fly(plan).await;
        if is_first {
            self.in_pairs.lock().unwrap().remove(&name);
        }
        flown
    }

    /// What is there only if it was the first cleans up when it is dropped.
    pub async fn landed(&self, name: String) -> u32 {
        let (plan, is_first) = {
            let mut all = self.cleaned.lock().unwrap();
            match all.get(&name) {
                Some(plan) => (plan.clone(), false),
                None => {
                    let plan = Arc::new(name.len() as u32);
                    all.insert(name.clone(), plan.clone());
                    (plan, true)
                }
            }
        };
        let _landing = is_first.then(|| Landing { of: self.cleaned.clone(), name: name.clone() });
        fly(plan).await
    }

    /// Those take it out that were not the first.
    pub async fn crashed(&self, name: String) -> u32 {
        let (plan, is_late) = {
            let mut all = self.inverted.lock().unwrap();
            match all.get(&name) { //~
                Some(plan) => (plan.clone(), true),
                None => {
                    let plan = Arc::new(name.len() as u32);
                    all.insert(name.clone(), plan.clone()); //~
                    (plan, false)
                }
            }
        };
        let _crash = is_late.then(|| Crash { of: self.inverted.clone(), name: name.clone() });
        fly(plan).await
    }
}
