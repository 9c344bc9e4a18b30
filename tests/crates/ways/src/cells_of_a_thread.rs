//! Cells have one thread, and so have all who come to them: a task that shares one with others is where they are, and only who waits lets
//! somebody else in.

use std::cell::RefCell;

use tokio::task::{spawn_local, yield_now};

#[derive(Clone, Copy)]
pub struct Crew {
    done: &'static RefCell<Vec<String>>,
}

impl Crew {
    pub fn new() -> Crew {
        Crew { done: Box::leak(Box::default()) }
    }

    pub fn hire(self, name: String) {
        spawn_local(async move {
            yield_now().await;
            if !self.done.borrow().contains(&name) {
                self.done.borrow_mut().push(name);
            }
        });
    }

    /// Somebody else may have put it in meanwhile.
    pub fn hire_slowly(self, name: String) {
        spawn_local(async move {
            let known = self.done.borrow().contains(&name); //~
            yield_now().await;
            if !known {
                self.done.borrow_mut().push(name); //~
            }
        });
    }
}
