//! Nodes in a list, which is in a lock: each is in one list, and whoever has its lock has it alone.

use std::ptr::NonNull;
use std::sync::Mutex;

pub struct Node {
    prev: Option<NonNull<Node>>,
    next: Option<NonNull<Node>>,
    woken: bool,
}

struct List {
    head: Option<NonNull<Node>>,
}

unsafe impl Send for List {}

impl List {
    unsafe fn add(&mut self, node: &mut Node) {
        unsafe {
            node.next = self.head;
            node.prev = None;
            if let Some(mut head) = self.head {
                head.as_mut().prev = Some(node.into());
            }
            self.head = Some(node.into());
        }
    }

    unsafe fn remove(&mut self, node: &mut Node) {
        unsafe {
            match node.prev {
                Some(mut prev) => prev.as_mut().next = node.next,
                None => self.head = node.next,
            }
            if let Some(mut next) = node.next {
                next.as_mut().prev = node.prev;
            }
            node.prev = None;
            node.next = None;
        }
    }
}

pub trait Waiting: Sync {
    fn enter(&self, node: &mut Node);
    fn leave(&self, node: &mut Node);
}

pub struct Channel {
    waiters: Mutex<List>,
}

pub struct Timer {
    waiters: Mutex<List>,
}

impl Waiting for Channel {
    fn enter(&self, node: &mut Node) {
        unsafe { self.waiters.lock().unwrap().add(node) }
    }

    fn leave(&self, node: &mut Node) {
        unsafe { self.waiters.lock().unwrap().remove(node) }
    }
}

impl Waiting for Timer {
    fn enter(&self, node: &mut Node) {
        unsafe { self.waiters.lock().unwrap().add(node) }
    }

    fn leave(&self, node: &mut Node) {
        unsafe { self.waiters.lock().unwrap().remove(node) }
    }
}

impl Channel {
    pub fn close(&self) {
        let mut list = self.waiters.lock().unwrap();
        while let Some(mut node) = list.head {
            unsafe {
                let node = node.as_mut();
                list.head = node.next;
                node.prev = None;
                node.next = None;
                node.woken = true;
            }
        }
    }
}

impl Timer {
    pub fn fire(&self) {
        let mut list = self.waiters.lock().unwrap();
        while let Some(mut node) = list.head {
            unsafe {
                let node = node.as_mut();
                list.head = node.next;
                node.prev = None;
                node.next = None;
                node.woken = true;
            }
        }
    }
}

pub struct Wait<'a> {
    on: &'a dyn Waiting,
    node: Box<Node>,
}

impl<'a> Wait<'a> {
    pub fn new(on: &'a dyn Waiting) -> Wait<'a> {
        let mut node = Box::new(Node { prev: None, next: None, woken: false });
        on.enter(&mut node);
        Wait { on, node }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        self.on.leave(&mut self.node);
    }
}
