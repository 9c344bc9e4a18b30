// RustPython/RustPython (PR #7994 review), repaired: get_inner looks and pops under one write lock and returns an Option.
use std::collections::VecDeque;
use std::fmt;
use std::sync::{Condvar, Mutex, RwLock};
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueError {
    Empty,
    InvalidTimeout,
}

impl fmt::Display for QueueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            QueueError::Empty => "queue is empty",
            QueueError::InvalidTimeout => "'timeout' must be a non-negative number",
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct GetArgs {
    pub block: bool,
    pub timeout: Option<f64>,
}

impl GetArgs {
    fn deadline(&self) -> Result<Option<Instant>, QueueError> {
        match self.timeout {
            Some(secs) if !secs.is_finite() || secs < 0.0 => Err(QueueError::InvalidTimeout),
            Some(secs) => Ok(Some(Instant::now() + Duration::from_secs_f64(secs))),
            None => Ok(None),
        }
    }
}

/// Unbounded FIFO queue, like `_queue.SimpleQueue`.
pub struct SimpleQueue<T> {
    buf: RwLock<VecDeque<T>>,
    waiting: Mutex<usize>,
    not_empty: Condvar,
}

impl<T> Default for SimpleQueue<T> {
    fn default() -> Self {
        Self { buf: RwLock::default(), waiting: Mutex::new(0), not_empty: Condvar::new() }
    }
}

impl<T: Send> SimpleQueue<T> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn empty(&self) -> bool {
        self.buf.read().unwrap().is_empty()
    }

    pub fn qsize(&self) -> usize {
        self.buf.read().unwrap().len()
    }

    pub fn put(&self, item: T) {
        self.buf.write().unwrap().push_back(item);
        let waiting = self.waiting.lock().unwrap();
        if *waiting > 0 {
            self.not_empty.notify_one();
        }
    }

    fn get_inner(&self) -> Option<T> {
        let mut buf = self.buf.write().unwrap();
        let capacity = buf.capacity();
        if buf.len() < capacity / 4 {
            buf.shrink_to(capacity / 2);
        }
        buf.pop_front()
    }

    /// Waits for an item to be put; `false` if the deadline has passed.
    fn wait_for_item(&self, deadline: Option<Instant>) -> bool {
        let mut waiting = self.waiting.lock().unwrap();
        *waiting += 1;
        let mut in_time = true;
        while in_time && self.empty() {
            waiting = match deadline {
                None => self.not_empty.wait(waiting).unwrap(),
                Some(at) => {
                    let left = at.saturating_duration_since(Instant::now());
                    in_time = !left.is_zero();
                    self.not_empty.wait_timeout(waiting, left).unwrap().0
                }
            };
        }
        *waiting -= 1;
        in_time
    }

    pub fn get(&self, args: GetArgs) -> Result<T, QueueError> {
        let deadline = args.deadline()?;
        loop {
            if let Some(item) = self.get_inner() {
                return Ok(item);
            }
            if !args.block || !self.wait_for_item(deadline) {
                return Err(QueueError::Empty);
            }
        }
    }

    pub fn get_nowait(&self) -> Result<T, QueueError> {
        self.get(GetArgs { block: false, timeout: None })
    }
}
