// tokio-rs/tokio PR #2134
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, RwLock};

#[derive(Debug)]
pub struct SendError<T>(pub T);

struct Slot<T> {
    rem: AtomicUsize,
    value: RwLock<Option<T>>,
}

struct Tail {
    pos: u64,
    rx_cnt: usize,
    tx_cnt: usize,
}

struct Shared<T> {
    buffer: Box<[Slot<T>]>,
    tail: Mutex<Tail>,
    space: Condvar,
    ready: Condvar,
}

impl<T> Shared<T> {
    fn slot(&self, pos: u64) -> &Slot<T> {
        &self.buffer[(pos % self.buffer.len() as u64) as usize]
    }

    fn release(&self, pos: u64) {
        if self.slot(pos).rem.fetch_sub(1, Ordering::SeqCst) == 1 {
            let _tail = self.tail.lock().unwrap();
            self.space.notify_all();
        }
    }
}

pub struct Sender<T>(Arc<Shared<T>>);

pub struct Receiver<T> {
    shared: Arc<Shared<T>>,
    next: u64,
}

pub fn channel<T: Clone>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    assert!(capacity > 0);
    let buffer = (0..capacity)
        .map(|_| Slot { rem: AtomicUsize::new(0), value: RwLock::new(None) })
        .collect();
    let shared = Arc::new(Shared {
        buffer,
        tail: Mutex::new(Tail { pos: 0, rx_cnt: 1, tx_cnt: 1 }),
        space: Condvar::new(),
        ready: Condvar::new(),
    });
    (Sender(shared.clone()), Receiver { shared, next: 0 })
}

impl<T: Clone> Sender<T> {
    pub fn send(&self, value: T) -> Result<usize, SendError<T>> {
        let mut tail = self.0.tail.lock().unwrap();
        loop {
            if tail.rx_cnt == 0 {
                return Err(SendError(value));
            }
            let slot = self.0.slot(tail.pos);
            if slot.rem.load(Ordering::SeqCst) == 0 {
                slot.rem.store(tail.rx_cnt, Ordering::SeqCst);
                *slot.value.write().unwrap() = Some(value);
                tail.pos += 1;
                self.0.ready.notify_all();
                return Ok(tail.rx_cnt);
            }
            tail = self.0.space.wait(tail).unwrap();
        }
    }

    pub fn subscribe(&self) -> Receiver<T> {
        let mut tail = self.0.tail.lock().unwrap();
        tail.rx_cnt += 1;
        Receiver { shared: self.0.clone(), next: tail.pos }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.0.tail.lock().unwrap().tx_cnt -= 1;
        self.0.ready.notify_all();
    }
}

impl<T: Clone> Receiver<T> {
    pub fn recv(&mut self) -> Option<T> {
        let mut tail = self.shared.tail.lock().unwrap();
        while tail.pos == self.next {
            if tail.tx_cnt == 0 {
                return None;
            }
            tail = self.shared.ready.wait(tail).unwrap();
        }
        drop(tail);
        let value = self.shared.slot(self.next).value.read().unwrap().clone();
        self.shared.release(self.next);
        self.next += 1;
        value
    }
}

impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        let mut tail = self.shared.tail.lock().unwrap();
        tail.rx_cnt -= 1;
        let until = tail.pos;
        drop(tail);
        for pos in self.next..until {
            self.shared.release(pos);
        }
    }
}
