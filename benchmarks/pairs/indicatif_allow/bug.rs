// Source: console-rs/indicatif commit b3a7e0a (make AtomicPosition::allow() logic more robust): the time is taken before the time of the
// last drawing is loaded; another thread may have drawn in between, at a later time: the difference underflows, and `inc` panics.
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

const INTERVAL: u64 = 1_000_000;

/// The position is counted without a lock; drawing is limited to once in a while.
struct AtomicPosition {
    pos: AtomicU64,
    /// Time of the last drawing, in nanoseconds since `start`.
    prev: AtomicU64,
    start: Instant,
}

impl AtomicPosition {
    fn new() -> Self {
        AtomicPosition { pos: AtomicU64::new(0), prev: AtomicU64::new(0), start: Instant::now() }
    }

    fn inc(&self, delta: u64) {
        self.pos.fetch_add(delta, Ordering::SeqCst);
    }

    fn allow(&self, now: Instant) -> bool {
        // `prev` is the number of ns after `self.start` at which we last returned `true`
        let prev = self.prev.load(Ordering::Acquire); //~
        // `elapsed` is the number of ns since `self.start`
        let elapsed = (now - self.start).as_nanos() as u64;
        // `diff` is the number of ns since we last returned `true`
        let diff = elapsed - prev; //~

        if diff < INTERVAL {
            return false;
        }
        // Of several threads that come at the same time one draws.
        self.prev.compare_exchange(prev, elapsed, Ordering::AcqRel, Ordering::Acquire).is_ok() //~
    }

    fn reset(&self, now: Instant) {
        self.pos.store(0, Ordering::SeqCst);
        let elapsed = now.saturating_duration_since(self.start).as_nanos() as u64;
        self.prev.fetch_max(elapsed, Ordering::AcqRel);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    InProgress,
    DoneVisible,
}

pub trait TermLike: Send {
    fn write_line(&mut self, line: &str);
}

impl TermLike for Vec<String> {
    fn write_line(&mut self, line: &str) {
        self.push(line.to_owned());
    }
}

struct BarState<W> {
    target: W,
    len: Option<u64>,
    message: String,
    status: Status,
    tick: u64,
}

impl<W: TermLike> BarState<W> {
    fn draw(&mut self, pos: u64) {
        self.tick = self.tick.saturating_add(1);
        let len = self.len.map_or_else(|| "?".to_owned(), |len| len.to_string());
        let line = format!("{pos}/{len} {}", self.message);
        self.target.write_line(line.trim_end());
    }
}

pub struct ProgressBar<W = Vec<String>> {
    state: Arc<Mutex<BarState<W>>>,
    pos: Arc<AtomicPosition>,
}

impl<W> Clone for ProgressBar<W> {
    fn clone(&self) -> Self {
        ProgressBar { state: self.state.clone(), pos: self.pos.clone() }
    }
}

impl<W: TermLike> ProgressBar<W> {
    pub fn with_draw_target(len: Option<u64>, target: W) -> Self {
        let state = BarState { target, len, message: String::new(), status: Status::InProgress, tick: 0 };
        ProgressBar { state: Arc::new(Mutex::new(state)), pos: Arc::new(AtomicPosition::new()) }
    }

    fn state(&self) -> MutexGuard<'_, BarState<W>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn inc(&self, delta: u64) {
        self.pos.inc(delta);
        let now = Instant::now(); //~
        if self.pos.allow(now) {
            self.tick_inner();
        }
    }

    fn tick_inner(&self) {
        let mut state = self.state();
        if state.status == Status::InProgress {
            let pos = self.position();
            state.draw(pos);
        }
    }

    pub fn set_message(&self, message: impl Into<String>) {
        self.state().message = message.into();
    }

    pub fn position(&self) -> u64 {
        self.pos.pos.load(Ordering::SeqCst)
    }

    pub fn elapsed(&self) -> Duration {
        self.pos.start.elapsed()
    }

    pub fn reset(&self) {
        let mut state = self.state();
        self.pos.reset(Instant::now());
        state.status = Status::InProgress;
    }

    pub fn finish(&self) {
        let mut state = self.state();
        if state.status == Status::InProgress {
            state.status = Status::DoneVisible;
            let pos = self.position();
            state.draw(pos);
        }
    }
}
