// Source: console-rs/indicatif issue #133 / PR #134 (enable_steady_tick keeps the bar alive)
use std::io::{self, Write};
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

const TICK_CHARS: [char; 4] = ['|', '/', '-', '\\'];

pub struct BarState {
    pos: u64,
    len: u64,
    tick: usize,
    finished: bool,
    target: Box<dyn Write + Send>,
}

impl BarState {
    fn draw(&mut self) -> io::Result<()> {
        let spinner = TICK_CHARS[self.tick % TICK_CHARS.len()];
        write!(self.target, "\r{} {}/{}", spinner, self.pos, self.len)?;
        self.target.flush()
    }
}

impl Drop for BarState {
    fn drop(&mut self) {
        let _ = writeln!(self.target);
    }
}

struct Ticker {
    control: Arc<(Mutex<bool>, Condvar)>,
    handle: JoinHandle<()>,
}

impl Ticker {
    fn spawn(state: Arc<Mutex<BarState>>, interval: Duration) -> Self {
        let control = Arc::new((Mutex::new(false), Condvar::new()));
        let stopping = control.clone();
        let handle = thread::spawn(move || loop {
            let guard = stopping.0.lock().unwrap();
            let (stop, _) = stopping.1.wait_timeout_while(guard, interval, |stop| !*stop).unwrap();
            if *stop {
                break;
            }
            drop(stop);
            let mut state = state.lock().unwrap();
            if state.finished {
                break;
            }
            state.tick = state.tick.wrapping_add(1);
            let _ = state.draw();
        });
        Ticker { control, handle }
    }

    fn stop(self) {
        *self.control.0.lock().unwrap_or_else(|e| e.into_inner()) = true;
        self.control.1.notify_one();
        if let Err(panic) = self.handle.join() {
            if !thread::panicking() {
                resume_unwind(panic);
            }
        }
    }
}

pub struct ProgressBar {
    state: Arc<Mutex<BarState>>,
    ticker: Mutex<Option<Ticker>>,
}

impl ProgressBar {
    pub fn with_target(len: u64, target: Box<dyn Write + Send>) -> Self {
        let state = BarState { pos: 0, len, tick: 0, finished: false, target };
        ProgressBar { state: Arc::new(Mutex::new(state)), ticker: Mutex::new(None) }
    }

    pub fn enable_steady_tick(&self, interval: Duration) {
        let mut slot = self.ticker.lock().unwrap();
        if let Some(previous) = slot.take() {
            previous.stop();
        }
        *slot = Some(Ticker::spawn(self.state.clone(), interval));
    }

    pub fn inc(&self, delta: u64) {
        let mut state = self.state.lock().unwrap();
        state.pos = (state.pos + delta).min(state.len);
        let _ = state.draw();
    }

    pub fn finish(&self) {
        let mut state = self.state.lock().unwrap();
        state.pos = state.len;
        state.finished = true;
        let _ = state.draw();
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        let ticker = self.ticker.get_mut().unwrap_or_else(|e| e.into_inner()).take();
        if let Some(ticker) = ticker {
            ticker.stop();
        }
    }
}

fn main() {
    for file in ["a.rs", "b.rs"] {
        let bar = ProgressBar::with_target(3, Box::new(io::stderr()));
        bar.enable_steady_tick(Duration::from_millis(50));
        bar.inc(1);
        thread::sleep(Duration::from_millis(120));
        drop(bar);
        println!("checked {file}");
    }
}
