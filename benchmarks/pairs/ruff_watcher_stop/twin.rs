// astral-sh/ruff PR #12626 (red-knot): no exit message; the debouncer runs as long as a sender is there, so the receiver outlives
// the callback of the backend and its send always succeeds; `stop` drops its own sender and joins.
use crossbeam::channel::{bounded, unbounded, Receiver, RecvTimeoutError, Sender};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ChangeEvent {
    Changed(PathBuf),
    Deleted(PathBuf),
}

pub trait EventHandler: Send + 'static {
    fn handle(&self, changes: Vec<ChangeEvent>);
}

impl<F: Fn(Vec<ChangeEvent>) + Send + 'static> EventHandler for F {
    fn handle(&self, changes: Vec<ChangeEvent>) {
        self(changes)
    }
}

enum BackendMessage {
    Watch(PathBuf),
    Shutdown,
}

/// The backend (as notify's): a thread of its own, which `drop` asks to end but does not join.
struct RecommendedWatcher {
    messages: Sender<BackendMessage>,
}

impl RecommendedWatcher {
    fn new(callback: impl Fn(ChangeEvent) + Send + 'static) -> Self {
        let (messages, inbox) = unbounded();
        std::thread::Builder::new()
            .name("notify-rs loop".to_string())
            .spawn(move || {
                let mut seen: HashMap<PathBuf, Option<SystemTime>> = HashMap::new();
                loop {
                    match inbox.recv_timeout(Duration::from_millis(20)) {
                        Ok(BackendMessage::Watch(path)) => {
                            let modified = path.metadata().and_then(|m| m.modified()).ok();
                            seen.insert(path, modified);
                        }
                        Ok(BackendMessage::Shutdown) | Err(RecvTimeoutError::Disconnected) => return,
                        Err(RecvTimeoutError::Timeout) => {
                            for (path, last) in seen.iter_mut() {
                                let modified = path.metadata().and_then(|m| m.modified()).ok();
                                if modified != *last {
                                    *last = modified;
                                    let path = path.clone();
                                    callback(if modified.is_some() { ChangeEvent::Changed(path) } else { ChangeEvent::Deleted(path) });
                                }
                            }
                        }
                    }
                }
            })
            .unwrap();
        Self { messages }
    }

    fn watch(&self, path: PathBuf) {
        let _ = self.messages.send(BackendMessage::Watch(path));
    }
}

impl Drop for RecommendedWatcher {
    fn drop(&mut self) {
        let _ = self.messages.send(BackendMessage::Shutdown);
    }
}

enum DebouncerMessage {
    Event(ChangeEvent),
}

pub struct Watcher {
    watcher: RecommendedWatcher,
    debouncer_sender: Sender<DebouncerMessage>,
    debouncer_thread: JoinHandle<()>,
}

pub fn event_watcher<H: EventHandler>(handler: H) -> Watcher {
    let (sender, receiver) = bounded(20);
    let debouncer_thread = std::thread::Builder::new()
        .name("watcher::debouncer".to_string())
        .spawn(move || debounce(receiver, handler))
        .unwrap();
    let debouncer_sender = sender.clone();
    let watcher = RecommendedWatcher::new(move |event| sender.send(DebouncerMessage::Event(event)).unwrap());
    Watcher { watcher, debouncer_sender, debouncer_thread }
}

fn debounce<H: EventHandler>(receiver: Receiver<DebouncerMessage>, handler: H) {
    let mut pending: HashSet<ChangeEvent> = HashSet::new();
    loop {
        match receiver.recv_timeout(Duration::from_millis(10)) {
            Ok(DebouncerMessage::Event(event)) => {
                pending.insert(event);
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if !pending.is_empty() {
            handler.handle(pending.drain().collect());
        }
    }
}

impl Watcher {
    pub fn watch(&self, path: PathBuf) {
        self.watcher.watch(path);
    }

    /// Stops the watcher; no change is reported after it returns.
    pub fn stop(self) {
        drop(self.watcher);
        // The other sender goes with the callback, when the backend's thread ends.
        drop(self.debouncer_sender);
        self.debouncer_thread.join().unwrap();
    }
}
