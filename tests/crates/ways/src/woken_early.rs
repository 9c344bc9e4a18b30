//! Who is woken before what it waits for is so: it finds it as it was, and waits again, or begins to wait behind the wake.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use tokio::sync::Notify;

/// Who looks between the wake and the change begins to wait for a wake that is over.
#[derive(Default)]
pub struct Bridge {
    down: Mutex<bool>,
    lowered: Condvar,
}

impl Bridge {
    pub fn lower(&self) {
        self.lowered.notify_all(); //~
        *self.down.lock().unwrap() = true; //~
    }

    pub fn cross(&self) {
        let mut down = self.down.lock().unwrap();
        while !*down { //~
            down = self.lowered.wait(down).unwrap();
        }
    }
}

/// It is lowered first, or under the lock that is waited with.
#[derive(Default)]
pub struct Gangway {
    down: Mutex<bool>,
    lowered: Condvar,
}

impl Gangway {
    pub fn lower(&self) {
        *self.down.lock().unwrap() = true;
        self.lowered.notify_all();
    }

    pub fn lower_at_once(&self) {
        let mut down = self.down.lock().unwrap();
        self.lowered.notify_all();
        *down = true;
    }

    pub fn cross(&self) {
        let mut down = self.down.lock().unwrap();
        while !*down {
            down = self.lowered.wait(down).unwrap();
        }
    }
}

/// What is put in behind one wake is told of by the next one.
#[derive(Default)]
pub struct Mailbox {
    letters: Mutex<Vec<u32>>,
    some: Condvar,
}

impl Mailbox {
    pub fn put_all(&self, letters: Vec<u32>) {
        for letter in letters {
            self.letters.lock().unwrap().push(letter);
            self.some.notify_one();
        }
    }

    pub fn take(&self) -> u32 {
        let mut letters = self.letters.lock().unwrap();
        loop {
            if let Some(letter) = letters.pop() {
                return letter;
            }
            letters = self.some.wait(letters).unwrap();
        }
    }
}

/// Who is woken finds no place yet, and waits again.
#[derive(Default)]
pub struct Lift {
    inside: AtomicUsize,
    left: Notify,
}

impl Lift {
    pub async fn enter(&self) {
        loop {
            let inside = self.inside.load(Ordering::SeqCst); //~
            if inside < 8 {
                if self.inside.compare_exchange(inside, inside + 1, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                    return;
                }
                continue;
            }
            self.left.notified().await; //~
        }
    }

    pub fn leave(&self) {
        self.left.notify_one(); //~
        self.inside.fetch_sub(1, Ordering::SeqCst); //~
    }
}

/// There is a place before anybody is woken.
#[derive(Default)]
pub struct Stairlift {
    inside: AtomicUsize,
    left: Notify,
}

impl Stairlift {
    pub async fn enter(&self) {
        loop {
            let inside = self.inside.load(Ordering::SeqCst);
            if inside < 8 {
                if self.inside.compare_exchange(inside, inside + 1, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
                    return;
                }
                continue;
            }
            self.left.notified().await;
        }
    }

    pub fn leave(&self) {
        self.inside.fetch_sub(1, Ordering::SeqCst);
        self.left.notify_one();
    }
}
