//! Who takes out what a value holds leaves nothing for its `drop` to do.

use std::sync::{Arc, Mutex};

/// Tools that are lent.
#[derive(Default)]
pub struct Shed {
    tools: Arc<Mutex<Vec<String>>>,
}

/// A tool that comes back when it is dropped, unless it was kept.
struct Lent {
    tool: Option<String>,
    shed: Arc<Mutex<Vec<String>>>,
}

impl Lent {
    fn keep(mut self) -> String {
        self.tool.take().unwrap_or_default()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(tool) = self.tool.take() {
            self.shed.lock().unwrap().push(tool);
        }
    }
}

impl Shed {
    fn lend(&self) -> Option<Lent> {
        let tool = self.tools.lock().unwrap().pop()?;
        Some(Lent { tool: Some(tool), shed: self.tools.clone() })
    }

    /// Nothing comes back.
    pub fn give_away(&self) -> Option<String> {
        self.lend().map(Lent::keep)
    }

    pub fn first(&self) -> Option<String> {
        self.tools.lock().unwrap().first().cloned()
    }
}

/// A sum that is written back when it is dropped, unless it was cancelled.
struct Sum {
    new: Option<u64>,
    till: Arc<Mutex<u64>>,
}

impl Sum {
    fn cancel(mut self) {
        self.new = None;
    }

    fn cancel_if(mut self, wrong: bool) {
        if wrong {
            self.new.take();
        }
    }
}

impl Drop for Sum {
    fn drop(&mut self) {
        if let Some(new) = self.new.take() {
            *self.till.lock().unwrap() = new; //~
        }
    }
}

/// What is in it is looked at before it is written.
#[derive(Default)]
pub struct Till {
    amount: Arc<Mutex<u64>>,
}

impl Till {
    fn sum(&self, more: u64) -> Sum {
        let before = *self.amount.lock().unwrap(); //~
        Sum { new: Some(before + more), till: self.amount.clone() }
    }

    /// Nothing is written.
    pub fn try_out(&self) {
        self.sum(1).cancel();
    }

    pub fn pay(&self, more: u64) {
        self.sum(more).cancel_if(more == 13);
    }
}
