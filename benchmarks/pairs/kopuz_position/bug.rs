// Kopuz (music player), PR #103: `play` raises the old position thread's stop flag and goes on without waiting for it; that thread may be past its look at the flag, and reports the old song's last position after the new song was announced: the system's media widget jumps.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// MPRIS, macOS now playing, Windows media controls.
pub trait SystemIntegration: Send + Sync {
    fn set_track(&self, title: &str, duration: Duration);
    fn update_position(&self, position: Duration);
    fn set_stopped(&self);
}

/// Written by the decoder.
#[derive(Default)]
pub struct Clock {
    position_micros: AtomicU64,
    finished: AtomicBool,
}

impl Clock {
    pub fn advance(&self, by: Duration) {
        self.position_micros.fetch_add(by.as_micros() as u64, Ordering::Relaxed);
    }

    pub fn finish(&self) {
        self.finished.store(true, Ordering::Relaxed);
    }

    pub fn position(&self) -> Duration {
        Duration::from_micros(self.position_micros.load(Ordering::Relaxed))
    }
}

struct PositionThread {
    stop: Arc<AtomicBool>,
}

impl PositionThread {
    fn spawn(clock: Arc<Clock>, system: Arc<dyn SystemIntegration>) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        thread::spawn(move || loop {
            thread::park_timeout(Duration::from_millis(250));
            if stopped.load(Ordering::SeqCst) || clock.finished.load(Ordering::Relaxed) {
                break;
            }
            system.update_position(clock.position()); //~
        });
        PositionThread { stop }
    }

    fn stop(self) {
        self.stop.store(true, Ordering::SeqCst);
    }
}

pub struct Player {
    system: Arc<dyn SystemIntegration>,
    position_thread: Option<PositionThread>,
    pub now_playing: Option<String>,
}

impl Player {
    pub fn new(system: Arc<dyn SystemIntegration>) -> Self {
        Player { system, position_thread: None, now_playing: None }
    }

    fn stop_internal(&mut self) {
        if let Some(old) = self.position_thread.take() {
            old.stop();
        }
        self.now_playing = None;
    }

    /// Returns the clock that the decoder has to advance.
    pub fn play(&mut self, title: String, duration: Duration) -> Arc<Clock> {
        self.stop_internal();
        self.system.set_track(&title, duration); //~
        self.system.update_position(Duration::ZERO);
        self.now_playing = Some(title);
        let clock = Arc::new(Clock::default());
        self.position_thread = Some(PositionThread::spawn(Arc::clone(&clock), Arc::clone(&self.system)));
        clock
    }

    pub fn stop(&mut self) {
        self.stop_internal();
        self.system.set_stopped();
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.stop_internal();
    }
}
