//! Two slots of one thing: the one is taken out, its end is waited for, and only then the other one is cleared, in which another thing may be by then.

use std::sync::{Arc, Mutex};

pub struct Line(u32);

impl Line {
    fn hang_up(&self) {
        println!("{}", self.0);
    }
}

/// The call that came meanwhile has a line and no display.
#[derive(Default)]
pub struct Phone {
    line: Mutex<Option<Arc<Line>>>,
    shown: Mutex<Option<Arc<Line>>>,
}

impl Phone {
    pub fn call(&self, number: u32) {
        let line = Arc::new(Line(number));
        *self.line.lock().unwrap() = Some(line.clone()); //~
        *self.shown.lock().unwrap() = Some(line); //~
    }

    pub fn hang_up(&self) {
        let old = self.line.lock().unwrap().take(); //~
        if let Some(old) = old {
            old.hang_up();
        }
        *self.shown.lock().unwrap() = None; //~
    }

    pub fn number(&self) -> Option<u32> {
        self.shown.lock().unwrap().as_ref().map(|line| line.0)
    }
}

/// Both under one lock.
#[derive(Default)]
pub struct Fax {
    both: Mutex<(Option<Arc<Line>>, Option<Arc<Line>>)>,
}

impl Fax {
    pub fn call(&self, number: u32) {
        let line = Arc::new(Line(number));
        *self.both.lock().unwrap() = (Some(line.clone()), Some(line));
    }

    pub fn hang_up(&self) {
        let old = {
            let mut both = self.both.lock().unwrap();
            both.1 = None;
            both.0.take()
        };
        if let Some(old) = old {
            old.hang_up();
        }
    }

    pub fn number(&self) -> Option<u32> {
        self.both.lock().unwrap().1.as_ref().map(|line| line.0)
    }
}

/// What is shown is another matter: others show something, too.
#[derive(Default)]
pub struct Pager {
    line: Mutex<Option<Arc<Line>>>,
    shown: Mutex<Option<Arc<Line>>>,
}

impl Pager {
    pub fn call(&self, number: u32) {
        let line = Arc::new(Line(number));
        *self.line.lock().unwrap() = Some(line.clone());
        *self.shown.lock().unwrap() = Some(line);
    }

    pub fn show(&self, number: u32) {
        *self.shown.lock().unwrap() = Some(Arc::new(Line(number)));
    }

    pub fn hang_up(&self) {
        let old = self.line.lock().unwrap().take();
        if let Some(old) = old {
            old.hang_up();
        }
        *self.shown.lock().unwrap() = None;
    }

    pub fn number(&self) -> Option<u32> {
        self.shown.lock().unwrap().as_ref().map(|line| line.0)
    }
}
