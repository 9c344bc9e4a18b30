// clickhouse-rs after c2db611: all under one lock.
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
        self.with_inner(|mut inner| {
            let mut i = 0;
            while i < inner.new.len() {
                match inner.new[i].poll() {
                    Some(client) => {
                        inner.new.swap_remove(i);
                        inner.idle.push(client);
                    }
                    None => i += 1,
                }
            }
        })
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
