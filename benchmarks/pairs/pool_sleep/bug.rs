// Source: mkeeter/fidget PR #82 (race between checking any_sleeping and waking threads)
use std::collections::VecDeque;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{mpsc, Arc, Mutex};
use std::thread::{self, JoinHandle};

type Task = Box<dyn FnOnce() + Send + 'static>;

struct QueuePool {
    tasks: Mutex<VecDeque<Task>>,
    sleeping: Vec<AtomicBool>,
    done: AtomicBool,
    panicked: AtomicUsize,
}

impl QueuePool {
    fn new(threads: usize) -> Self {
        QueuePool {
            tasks: Mutex::new(VecDeque::new()),
            sleeping: (0..threads).map(|_| AtomicBool::new(false)).collect(),
            done: AtomicBool::new(false),
            panicked: AtomicUsize::new(0),
        }
    }

    fn pop(&self) -> Option<Task> {
        self.tasks.lock().unwrap().pop_front()
    }

    fn push(&self, task: Task) {
        self.tasks.lock().unwrap().push_back(task);
    }

    fn sleep(&self, index: usize) {
        self.sleeping[index].store(true, Ordering::SeqCst);
        thread::park();
        self.sleeping[index].store(false, Ordering::SeqCst);
    }

    fn run(&self, index: usize) {
        loop {
            if let Some(task) = self.pop() {
                if catch_unwind(AssertUnwindSafe(task)).is_err() {
                    self.panicked.fetch_add(1, Ordering::SeqCst);
                }
                continue;
            }
            if self.done.load(Ordering::SeqCst) {
                break;
            }
            self.sleep(index);
        }
    }
}

pub struct ThreadPool {
    pool: Arc<QueuePool>,
    threads: Vec<JoinHandle<()>>,
}

impl ThreadPool {
    pub fn new(threads: usize) -> Self {
        let pool = Arc::new(QueuePool::new(threads.max(1)));
        let threads = (0..threads.max(1))
            .map(|index| {
                let pool = pool.clone();
                thread::spawn(move || pool.run(index))
            })
            .collect();
        ThreadPool { pool, threads }
    }

    fn wake(&self) {
        for (flag, handle) in self.pool.sleeping.iter().zip(&self.threads) {
            if flag.load(Ordering::SeqCst) {
                handle.thread().unpark();
            }
        }
    }

    pub fn spawn<F: FnOnce() + Send + 'static>(&self, task: F) {
        self.pool.push(Box::new(task));
        self.wake();
    }

    pub fn install<R, F>(&self, task: F) -> Option<R>
    where
        R: Send + 'static,
        F: FnOnce() -> R + Send + 'static,
    {
        let (tx, rx) = mpsc::channel();
        self.spawn(move || {
            let _ = tx.send(task());
        });
        rx.recv().ok()
    }

    pub fn panicked(&self) -> usize {
        self.pool.panicked.load(Ordering::SeqCst)
    }
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.pool.done.store(true, Ordering::SeqCst);
        for handle in self.threads.drain(..) {
            handle.thread().unpark();
            let _ = handle.join();
        }
    }
}
