// lightningdevkit/rust-lightning PR #1007
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

const PING_TIMER: Duration = Duration::from_secs(5);
const POLL_INTERVAL: Duration = Duration::from_millis(100);

pub trait Persister: Send + Sync + 'static {
    fn persist_manager(&self, manager: &ChannelManager) -> io::Result<()>;
}

pub trait PeerHandler: Send + Sync + 'static {
    fn process_events(&self);
    fn timer_tick_occurred(&self);
}

#[derive(Default)]
struct ManagerState {
    needs_persist: bool,
    channels: Vec<[u8; 32]>,
}

#[derive(Default)]
pub struct ChannelManager {
    state: Mutex<ManagerState>,
    persistence_notifier: Condvar,
}

impl ChannelManager {
    pub fn open_channel(&self, id: [u8; 32]) {
        let mut state = self.state.lock().unwrap();
        state.channels.push(id);
        state.needs_persist = true;
        self.persistence_notifier.notify_all();
    }

    pub fn encode(&self) -> Vec<u8> {
        self.state.lock().unwrap().channels.concat()
    }

    fn await_persistable_update_timeout(&self, max_wait: Duration) -> bool {
        let state = self.state.lock().unwrap();
        let (mut state, _) = self
            .persistence_notifier
            .wait_timeout_while(state, max_wait, |s| !s.needs_persist)
            .unwrap();
        std::mem::take(&mut state.needs_persist)
    }
}

pub struct BackgroundProcessor {
    stop_thread: Arc<AtomicBool>,
    thread_handle: Option<JoinHandle<io::Result<()>>>,
}

impl BackgroundProcessor {
    pub fn start(
        persister: impl Persister,
        manager: Arc<ChannelManager>,
        peers: Arc<dyn PeerHandler>,
    ) -> Self {
        let stop_thread = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stop_thread);
        let handle = thread::spawn(move || run(persister, manager, peers, stop));
        Self {
            stop_thread,
            thread_handle: Some(handle),
        }
    }

    pub fn stop(mut self) -> io::Result<()> {
        self.stop_and_join_thread()
    }

    fn stop_and_join_thread(&mut self) -> io::Result<()> {
        self.stop_thread.store(true, Ordering::Release);
        self.join_thread()
    }

    fn join_thread(&mut self) -> io::Result<()> {
        match self.thread_handle.take() {
            Some(handle) => handle
                .join()
                .unwrap_or_else(|_| Err(io::Error::other("background processor panicked"))),
            None => Ok(()),
        }
    }
}

impl Drop for BackgroundProcessor {
    fn drop(&mut self) {
        if let Err(err) = self.stop_and_join_thread() {
            log::error!("background processor failed: {err}");
        }
    }
}

fn run(
    persister: impl Persister,
    manager: Arc<ChannelManager>,
    peers: Arc<dyn PeerHandler>,
    stop: Arc<AtomicBool>,
) -> io::Result<()> {
    let mut last_ping = Instant::now();
    while !stop.load(Ordering::Acquire) {
        peers.process_events();
        if manager.await_persistable_update_timeout(POLL_INTERVAL) {
            persister.persist_manager(&manager)?;
        }
        if last_ping.elapsed() >= PING_TIMER {
            peers.timer_tick_occurred();
            last_ping = Instant::now();
        }
    }
    persister.persist_manager(&manager)
}
