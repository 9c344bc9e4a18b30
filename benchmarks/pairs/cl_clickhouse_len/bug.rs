// clickhouse-rs 0.1.x (fixed by commit c2db611, Jan 2019), src/pool/mod.rs: the length of the list of new connections is asked under one
// lock, each is polled and taken out under further ones: another handle takes one out in between, and `new[i]` panics.
use std::sync::{Arc, Mutex, MutexGuard};

pub struct Opening {
    left: u32,
}

impl Opening {
    fn poll(&mut self) -> Option<u64> {
        self.left = self.left.saturating_sub(1);
        (self.left == 0).then_some(7)
    }
}

#[derive(Default)]
struct Inner {
    new: Vec<Opening>,
    idle: Vec<u64>,
}

#[derive(Clone, Default)]
pub struct Pool {
    inner: Arc<Mutex<Inner>>,
}

impl Pool {
    fn with_inner<T>(&self, f: impl FnOnce(MutexGuard<Inner>) -> T) -> T {
        f(self.inner.lock().unwrap())
    }

    fn handle_futures(&mut self) {
        let len = self.with_inner(|inner| inner.new.len());
        for i in 0..len {
            let ready = self.with_inner(|mut inner| inner.new[i].poll());
            if let Some(client) = ready {
                self.with_inner(|mut inner| {
                    inner.new.swap_remove(i);
                    inner.idle.push(client)
                });
            }
        }
    }

    pub fn get(&mut self) -> Option<u64> {
        self.handle_futures();
        self.with_inner(|mut inner| {
            if inner.idle.is_empty() {
                inner.new.push(Opening { left: 3 });
            }
            inner.idle.pop()
        })
    }
}
