//! What is appended is taken out of where it was; a change that may find nothing to change has looked.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;

/// A thread that is started as it ends is waited for by nobody.
#[derive(Default)]
pub struct Workers {
    over: AtomicBool,
    tasks: Mutex<Vec<JoinHandle<u32>>>,
}

impl Workers {
    pub fn start(&self, number: u32) {
        if !self.over.load(Ordering::SeqCst) { //~
            self.tasks.lock().unwrap().push(std::thread::spawn(move || number + 1)); //~
        }
    }

    pub fn end(&self) {
        self.over.store(true, Ordering::SeqCst); //~
        let mut last = Vec::new();
        last.append(&mut self.tasks.lock().unwrap()); //~
        for task in last {
            task.join().ok();
        }
    }
}

#[derive(Default)]
struct Started {
    over: bool,
    tasks: Vec<JoinHandle<u32>>,
}

#[derive(Default)]
pub struct Crew(Mutex<Started>);

impl Crew {
    pub fn start(&self, number: u32) {
        let mut started = self.0.lock().unwrap();
        if !started.over {
            started.tasks.push(std::thread::spawn(move || number + 1));
        }
    }

    pub fn end(&self) {
        let mut last = Vec::new();
        {
            let mut started = self.0.lock().unwrap();
            started.over = true;
            last.append(&mut started.tasks);
        }
        for task in last {
            task.join().ok();
        }
    }
}

/// Who finds no credit, and then leaves a waker, misses what is given in between.
#[derive(Default)]
pub struct Credit {
    left: AtomicU32,
    writer: Mutex<Option<Waker>>,
}

impl Credit {
    fn take(&self) -> bool {
        self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_sub(1)).is_ok() //~
    }

    pub fn poll_take(&self, cx: &Context<'_>) -> Poll<()> {
        if self.take() {
            return Poll::Ready(());
        }
        *self.writer.lock().unwrap() = Some(cx.waker().clone()); //~
        Poll::Pending
    }

    pub fn give(&self, n: u32) {
        self.left.fetch_add(n, Ordering::AcqRel); //~
        if let Some(writer) = self.writer.lock().unwrap().take() { //~
            writer.wake();
        }
    }
}

#[derive(Default)]
pub struct Credits {
    left: AtomicU32,
    writer: Mutex<Option<Waker>>,
}

impl Credits {
    fn take(&self) -> bool {
        self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |n| n.checked_sub(1)).is_ok()
    }

    /// Looks again once the waker is there.
    pub fn poll_take(&self, cx: &Context<'_>) -> Poll<()> {
        if self.take() {
            return Poll::Ready(());
        }
        *self.writer.lock().unwrap() = Some(cx.waker().clone());
        if self.take() { Poll::Ready(()) } else { Poll::Pending }
    }

    pub fn give(&self, n: u32) {
        self.left.fetch_add(n, Ordering::AcqRel);
        if let Some(writer) = self.writer.lock().unwrap().take() {
            writer.wake();
        }
    }
}
