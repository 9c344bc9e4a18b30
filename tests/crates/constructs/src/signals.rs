//! Tasks that wait to be woken. Who is woken before it waits goes on waiting.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use tokio::sync::Notify;

/// The look is made before the lock of the wait is taken.
pub struct Oven {
    trays: Mutex<VecDeque<u32>>,
    door: Mutex<()>,
    filled: Condvar,
}

impl Oven {
    pub fn put(&self, tray: u32) {
        self.trays.lock().unwrap().push_back(tray); //~
        self.filled.notify_one(); //~
    }

    pub fn stand_by(&self) {
        let none = self.trays.lock().unwrap().is_empty(); //~
        if none {
            let door = self.door.lock().unwrap();
            let _door = self.filled.wait(door).unwrap(); //~
        }
    }
}

/// A flag is raised without the lock that who waits gives back.
pub struct Kiln {
    cold: AtomicBool,
    seat: Mutex<u32>,
    turned: Condvar,
}

impl Kiln {
    pub fn cool(&self) {
        self.cold.store(true, Ordering::SeqCst); //~
        self.turned.notify_all(); //~
    }

    pub fn rest(&self) {
        let mut seat = self.seat.lock().unwrap();
        while !self.cold.load(Ordering::SeqCst) { //~
            seat = self.turned.wait(seat).unwrap(); //~
        }
    }
}

/// Who raises the flag takes the lock before it wakes anybody: by then the others wait, or see the flag.
pub struct Cooler {
    cold: AtomicBool,
    seat: Mutex<u32>,
    turned: Condvar,
}

impl Cooler {
    pub fn cool(&self) {
        self.cold.store(true, Ordering::SeqCst);
        drop(self.seat.lock().unwrap());
        self.turned.notify_all();
    }

    pub fn rest(&self) {
        let mut seat = self.seat.lock().unwrap();
        while !self.cold.load(Ordering::SeqCst) {
            seat = self.turned.wait(seat).unwrap();
        }
    }
}

/// As in every book: what is waited for is looked at under the lock, and changed under it.
pub struct Shelf {
    loaves: Mutex<VecDeque<u32>>,
    baked: Condvar,
}

impl Shelf {
    pub fn put(&self, loaf: u32) {
        self.loaves.lock().unwrap().push_back(loaf);
        self.baked.notify_one();
    }

    pub fn take(&self) -> u32 {
        let mut loaves = self.loaves.lock().unwrap();
        loop {
            if let Some(loaf) = loaves.pop_front() {
                return loaf;
            }
            loaves = self.baked.wait(loaves).unwrap();
        }
    }

    /// Looks early, and again under the lock.
    pub fn stand_by(&self) {
        if !self.loaves.lock().unwrap().is_empty() {
            return;
        }
        let mut loaves = self.loaves.lock().unwrap();
        while loaves.is_empty() {
            loaves = self.baked.wait(loaves).unwrap();
        }
    }

    /// Waits no longer than a while.
    pub fn glance(&self) {
        if self.loaves.lock().unwrap().is_empty() {
            let loaves = self.loaves.lock().unwrap();
            let _ = self.baked.wait_timeout(loaves, std::time::Duration::from_millis(5)).unwrap();
        }
    }
}

/// With the locks of another library, whose waits borrow the guard.
pub struct Counter {
    queue: parking_lot::Mutex<Vec<u32>>,
    open: AtomicBool,
    called: parking_lot::Condvar,
}

impl Counter {
    pub fn call(&self, number: u32) {
        self.queue.lock().push(number);
        self.called.notify_one();
    }

    pub fn close(&self) {
        self.open.store(false, Ordering::SeqCst); //~
        self.called.notify_all(); //~
    }

    pub fn next(&self) -> Option<u32> {
        let mut queue = self.queue.lock();
        while self.open.load(Ordering::SeqCst) { //~
            if let Some(number) = queue.pop() {
                return Some(number);
            }
            self.called.wait(&mut queue); //~
        }
        None
    }
}

/// What nobody keeps for those who come later.
pub struct Bell {
    rung: AtomicBool,
    heard: Notify,
}

impl Bell {
    pub fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst); //~
        self.heard.notify_waiters(); //~
    }

    pub async fn listen(&self) {
        if !self.rung.load(Ordering::SeqCst) { //~
            self.heard.notified().await; //~
        }
    }
}

/// Who listens before it looks misses nothing.
pub struct Chime {
    rung: AtomicBool,
    heard: Notify,
}

impl Chime {
    pub fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst);
        self.heard.notify_waiters();
    }

    pub async fn listen(&self) {
        let heard = self.heard.notified();
        if !self.rung.load(Ordering::SeqCst) {
            heard.await;
        }
    }
}

/// Looks once more before it waits, each time.
pub struct Gate {
    open: AtomicBool,
    heard: Notify,
}

impl Gate {
    pub fn open(&self) {
        if !self.open.swap(true, Ordering::SeqCst) {
            self.heard.notify_waiters();
        }
    }

    pub async fn pass(&self) {
        while !self.open.load(Ordering::SeqCst) {
            let heard = self.heard.notified();
            if self.open.load(Ordering::SeqCst) {
                return;
            }
            heard.await;
        }
    }
}

/// What listens is made where it is awaited, behind the look.
pub struct Crowd {
    inside: AtomicUsize,
    gone: Notify,
}

impl Crowd {
    pub fn leave(&self) {
        if self.inside.fetch_sub(1, Ordering::SeqCst) == 1 { //~
            self.gone.notify_waiters(); //~
        }
    }

    pub async fn until_gone(&self) {
        let silence = self.silence();
        if self.inside.load(Ordering::SeqCst) == 0 { //~
            return;
        }
        silence.await;
    }

    async fn silence(&self) {
        self.gone.notified().await; //~
    }
}

/// One is kept for whoever comes next.
pub struct Buzzer {
    pressed: AtomicBool,
    heard: Notify,
}

impl Buzzer {
    pub fn press(&self) {
        self.pressed.store(true, Ordering::SeqCst);
        self.heard.notify_one();
    }

    pub async fn listen(&self) {
        if !self.pressed.load(Ordering::SeqCst) {
            self.heard.notified().await;
        }
    }
}

/// Listens, waits for the lock to look under it, and only then for the call.
pub struct Porch {
    lit: tokio::sync::Mutex<bool>,
    heard: Notify,
}

impl Porch {
    pub async fn light(&self) {
        *self.lit.lock().await = true;
        self.heard.notify_waiters();
    }

    pub async fn until_lit(&self) {
        loop {
            let heard = self.heard.notified();
            if *self.lit.lock().await {
                return;
            }
            heard.await;
        }
    }
}

/// Has looked under the lock before it listens.
pub struct Cellar {
    lit: tokio::sync::Mutex<bool>,
    heard: Notify,
}

impl Cellar {
    pub async fn light(&self) {
        *self.lit.lock().await = true; //~
        self.heard.notify_waiters(); //~
    }

    pub async fn until_lit(&self) {
        while !*self.lit.lock().await { //~
            self.heard.notified().await; //~
        }
    }
}

/// News of a harbour: who subscribes after the look is not told what came in between.
pub struct Harbour {
    last: Mutex<u64>,
    news: tokio::sync::broadcast::Sender<u64>,
}

impl Harbour {
    pub fn arrive(&self, ship: u64) {
        *self.last.lock().unwrap() = ship; //~
        let _ = self.news.send(ship); //~
    }

    pub async fn next_after(&self, ship: u64) -> u64 {
        let last = *self.last.lock().unwrap(); //~
        if last > ship {
            return last;
        }
        self.news.subscribe().recv().await.unwrap_or_default() //~
    }

    pub async fn next_after_at_last(&self, ship: u64) -> u64 {
        let mut news = self.news.subscribe();
        let last = *self.last.lock().unwrap();
        if last > ship {
            return last;
        }
        news.recv().await.unwrap_or_default()
    }
}
