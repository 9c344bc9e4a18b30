// Source: notify-rs/notify PR #933 (notify-debouncer-full: use condvar for no idle CPU usage)
use std::collections::HashMap;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebouncedEvent {
    pub path: PathBuf,
    pub count: usize,
}

pub trait DebounceEventHandler: Send + 'static {
    fn handle_event(&mut self, events: Vec<DebouncedEvent>);
}

#[derive(Default)]
struct DebounceData {
    queues: HashMap<PathBuf, (Instant, usize)>,
}

impl DebounceData {
    fn add_event(&mut self, path: PathBuf) {
        let now = Instant::now();
        let entry = self.queues.entry(path).or_insert((now, 0));
        entry.0 = now;
        entry.1 += 1;
    }

    fn debounced_events(&mut self, timeout: Duration) -> Vec<DebouncedEvent> {
        let mut ready = Vec::new();
        self.queues.retain(|path, (last, count)| {
            if last.elapsed() < timeout {
                return true;
            }
            ready.push(DebouncedEvent { path: path.clone(), count: *count });
            false
        });
        ready
    }
}

struct Shared {
    data: Mutex<DebounceData>,
    wakeup: Condvar,
    stop: AtomicBool,
}

pub struct Debouncer {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl Debouncer {
    pub fn new<H: DebounceEventHandler>(timeout: Duration, tick: Duration, handler: H) -> Self {
        let shared = Arc::new(Shared {
            data: Mutex::new(DebounceData::default()),
            wakeup: Condvar::new(),
            stop: AtomicBool::new(false),
        });
        let inner = shared.clone();
        let thread = thread::spawn(move || run(inner, timeout, tick, handler));
        Debouncer { shared, thread: Some(thread) }
    }

    pub fn event(&self, path: impl Into<PathBuf>) {
        self.shared.data.lock().unwrap().add_event(path.into());
        self.shared.wakeup.notify_all();
    }

    pub fn stop(mut self) {
        self.shutdown();
    }

    fn set_stop(&self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        self.shared.wakeup.notify_all();
    }

    fn shutdown(&mut self) {
        self.set_stop();
        if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
            if !thread::panicking() {
                resume_unwind(panic);
            }
        }
    }
}

impl Drop for Debouncer {
    fn drop(&mut self) {
        self.shutdown();
    }
}

fn run<H: DebounceEventHandler>(shared: Arc<Shared>, timeout: Duration, tick: Duration, mut handler: H) {
    let mut data = shared.data.lock().unwrap();
    while !shared.stop.load(Ordering::SeqCst) {
        if data.queues.is_empty() {
            data = shared.wakeup.wait(data).unwrap();
            continue;
        }
        let ready = data.debounced_events(timeout);
        if ready.is_empty() {
            data = shared.wakeup.wait_timeout(data, tick).unwrap().0;
            continue;
        }
        drop(data);
        handler.handle_event(ready);
        data = shared.data.lock().unwrap();
    }
}
