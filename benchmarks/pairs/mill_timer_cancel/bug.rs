// citadel-foss/mill-io, review of PR #86: the event loop takes a due repeating timer out of the wheel, runs its callback unlocked and puts it back afterwards; a cancel() from another thread meanwhile finds nothing, and the timer goes on for ever.
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TimerId(u64);

type Callback = Arc<dyn Fn() + Send + Sync>;

struct TimerEntry {
    deadline_tick: u64,
    period: Option<u64>,
    callback: Callback,
}

#[derive(Default)]
struct WheelInner {
    current_tick: u64,
    next_id: u64,
    timers: HashMap<TimerId, TimerEntry>,
}

#[derive(Clone, Default)]
pub struct TimerWheel {
    inner: Arc<Mutex<WheelInner>>,
}

impl TimerWheel {
    pub fn schedule(&self, ticks: u64, period: Option<u64>, f: impl Fn() + Send + Sync + 'static) -> TimerId {
        let mut inner = self.inner.lock().unwrap();
        let id = TimerId(inner.next_id);
        inner.next_id += 1;
        let deadline_tick = inner.current_tick + ticks.max(1);
        inner.timers.insert(id, TimerEntry { deadline_tick, period, callback: Arc::new(f) });
        id
    }

    /// Cancels a timer and tells whether that stopped it; a callback that is due right
    /// now may still run this once.
    pub fn cancel(&self, id: TimerId) -> bool {
        self.inner.lock().unwrap().timers.remove(&id).is_some() //~
    }

    /// One tick of the event loop: fires whatever is due.
    pub fn advance(&self) -> usize {
        let mut due = Vec::new();
        {
            let mut inner = self.inner.lock().unwrap();
            inner.current_tick += 1;
            let now = inner.current_tick;
            let ids: Vec<_> = inner.timers.iter().filter(|(_, t)| t.deadline_tick <= now).map(|(id, _)| *id).collect();
            for id in ids {
                due.extend(inner.timers.remove(&id).map(|entry| (id, entry))); //~
            }
        }
        let fired = due.len();
        for (id, mut entry) in due {
            // Callbacks may schedule and cancel: not under the lock.
            (entry.callback)();
            if let Some(period) = entry.period {
                let mut inner = self.inner.lock().unwrap();
                entry.deadline_tick = inner.current_tick + period.max(1);
                inner.timers.insert(id, entry); //~
            }
        }
        fired
    }

    pub fn spawn_driver(&self, tick: Duration, stop: Arc<AtomicBool>) -> JoinHandle<()> {
        let wheel = self.clone();
        thread::spawn(move || {
            while !stop.load(Ordering::Acquire) {
                thread::sleep(tick);
                wheel.advance();
            }
        })
    }
}
