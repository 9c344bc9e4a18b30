// tokio 1.49 (fixed in 1.50, pull request 7922), src/runtime/blocking/pool.rs: who gives work to an idle thread counts it out of the idle ones; if the
// pool is shut down before the thread wakes, it leaves as if it were still counted, and counts itself out once more.
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

#[derive(Default)]
struct Shared {
    queue: VecDeque<u32>,
    notify: u32,
    shutdown: bool,
}

#[derive(Default)]
struct Inner {
    shared: Mutex<Shared>,
    condvar: Condvar,
    idle: AtomicUsize,
}

#[derive(Clone, Default)]
pub struct Pool {
    inner: Arc<Inner>,
}

impl Pool {
    pub fn spawn(&self, task: u32) {
        let mut shared = self.inner.shared.lock().unwrap();
        shared.queue.push_back(task);
        if self.inner.idle.load(Ordering::SeqCst) > 0 {
            self.inner.idle.fetch_sub(1, Ordering::SeqCst);
            shared.notify += 1;
            self.inner.condvar.notify_one();
        } else {
            let inner = self.inner.clone();
            std::thread::spawn(move || inner.run());
        }
    }

    pub fn shutdown(&self) {
        self.inner.shared.lock().unwrap().shutdown = true;
        self.inner.condvar.notify_all();
    }
}

impl Inner {
    fn run(&self) {
        let mut shared = self.shared.lock().unwrap();
        loop {
            while let Some(task) = shared.queue.pop_front() {
                drop(shared);
                println!("{task}");
                shared = self.shared.lock().unwrap();
            }
            self.idle.fetch_add(1, Ordering::SeqCst);
            while !shared.shutdown {
                shared = self.condvar.wait(shared).unwrap();
                if shared.notify > 0 {
                    shared.notify -= 1;
                    break;
                }
            }
            if shared.shutdown {
                break;
            }
        }
        let before = self.idle.fetch_sub(1, Ordering::SeqCst);
        assert_ne!(before, 0, "idle threads underflowed");
    }
}
