//! A trait that whatever leads to who has it has as well: each call is one of what is a reference deeper.

use std::ops::Deref;
use std::sync::Mutex;

pub trait Client {
    fn join(&self, name: u32) -> bool;
    fn join_at_once(&self, name: u32) -> bool;
    fn members(&self) -> usize;
}

impl<C> Client for C
where
    C: Deref,
    C::Target: Client,
{
    fn join(&self, name: u32) -> bool {
        (**self).join(name)
    }

    fn join_at_once(&self, name: u32) -> bool {
        (**self).join_at_once(name)
    }

    fn members(&self) -> usize {
        (**self).members()
    }
}

#[derive(Default)]
pub struct Plain {
    names: Mutex<Vec<u32>>,
}

impl Client for Plain {
    fn join(&self, name: u32) -> bool {
        if self.names.lock().unwrap().contains(&name) { //~
            return false;
        }
        self.names.lock().unwrap().push(name); //~
        true
    }

    fn join_at_once(&self, name: u32) -> bool {
        let mut names = self.names.lock().unwrap();
        if names.contains(&name) {
            return false;
        }
        names.push(name); //~
        true
    }

    fn members(&self) -> usize {
        self.names.lock().unwrap().len()
    }
}
