// notify-rs/notify PR #933 (notify-debouncer-full, review): `stop()` stores the flag and notifies the condvar without
// the mutex of the queue; a worker between its look at the flag and `wait` misses the notification and `stop()` hangs in join.
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DebouncedEvent {
    pub path: PathBuf,
    pub time: Instant,
}

pub trait DebounceEventHandler: Send + 'static {
    fn handle_event(&mut self, events: Vec<DebouncedEvent>);
}

impl<F: FnMut(Vec<DebouncedEvent>) + Send + 'static> DebounceEventHandler for F {
    fn handle_event(&mut self, events: Vec<DebouncedEvent>) {
        (self)(events)
    }
}

struct DebounceDataInner {
    queues: HashMap<PathBuf, Instant>,
    timeout: Duration,
}

impl DebounceDataInner {
    /// Takes the events which are old enough.
    fn debounced_events(&mut self) -> Vec<DebouncedEvent> {
        let now = Instant::now();
        let timeout = self.timeout;
        let mut ready = Vec::new();
        self.queues.retain(|path, time| {
            if now.saturating_duration_since(*time) >= timeout {
                ready.push(DebouncedEvent { path: path.clone(), time: *time });
                false
            } else {
                true
            }
        });
        ready
    }
}

type DebounceData = Arc<(Mutex<DebounceDataInner>, Condvar)>;

pub struct Debouncer {
    data: DebounceData,
    stop: Arc<AtomicBool>,
    debouncer_thread: Option<JoinHandle<()>>,
}

impl Debouncer {
    /// Called by the watcher backend.
    pub fn add_event(&self, path: &Path) {
        let mut inner = self.data.0.lock().unwrap();
        inner.queues.insert(path.to_path_buf(), Instant::now());
        self.data.1.notify_all();
    }

    /// Stop the debouncer, waits for the event thread to finish.
    pub fn stop(mut self) {
        self.set_stop();
        if let Some(t) = self.debouncer_thread.take() {
            let _ = t.join();
        }
    }

    /// Stop the debouncer, does not wait for the event thread to finish.
    pub fn stop_nonblocking(self) {
        self.set_stop();
    }

    fn set_stop(&self) {
        self.stop.store(true, Ordering::Relaxed); //~
        self.data.1.notify_all(); //~
    }
}

impl Drop for Debouncer {
    fn drop(&mut self) {
        self.set_stop();
    }
}

pub fn new_debouncer<F: DebounceEventHandler>(timeout: Duration, tick_rate: Option<Duration>, mut handler: F) -> Debouncer {
    let tick = tick_rate.unwrap_or(timeout / 4);
    let data: DebounceData = Arc::new((Mutex::new(DebounceDataInner { queues: HashMap::new(), timeout }), Condvar::new()));
    let stop = Arc::new(AtomicBool::new(false));

    let data_c = data.clone();
    let stop_c = stop.clone();
    let thread = std::thread::Builder::new()
        .name("notify-rs debouncer loop".to_string())
        .spawn(move || loop {
            let (lock, cvar) = &*data_c;
            let send_data = {
                let mut inner = lock.lock().unwrap();
                while inner.queues.is_empty() && !stop_c.load(Ordering::Relaxed) { //~
                    inner = cvar.wait(inner).unwrap(); //~
                }
                if stop_c.load(Ordering::Relaxed) {
                    break;
                }
                inner.debounced_events()
            };
            if !send_data.is_empty() {
                handler.handle_event(send_data);
            }
            std::thread::sleep(tick);
        })
        .expect("failed to spawn the debouncer thread");

    Debouncer { data, stop, debouncer_thread: Some(thread) }
}
