//! A thread that looks at the clock: limits that have passed, and tasks that keep their threads.

use std::sync::{Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::task::Task;

const ROUND: Duration = Duration::from_millis(5);
/// A task that keeps its thread for longer stalls others.
const STALL: Duration = Duration::from_millis(100);

/// A limit that has begun: when it passes, for which task, of which property, which of its limits.
type Due = (Instant, Weak<Task>, usize, usize);

/// A task that is polled: since when, by which thread, and how much that had used when it was first looked at.
type Polled = (Weak<Task>, Instant, u32, Option<u64>);

/// What is to be looked at, and when.
#[derive(Default)]
pub(crate) struct Limits {
    due: Mutex<Vec<Due>>,
    polled: Mutex<Vec<Polled>>,
}

impl Limits {
    /// A limit of a property begins for a task.
    pub fn begin(&self, at: Instant, task: Weak<Task>, property: usize, limit: usize) {
        self.due.lock().unwrap_or_else(PoisonError::into_inner).push((at, task, property, limit));
    }

    /// Looks at all that is due, time and again.
    pub fn watch(&self) {
        loop {
            std::thread::sleep(ROUND);
            let now = Instant::now();
            let mut passed = Vec::new();
            self.due.lock().unwrap_or_else(PoisonError::into_inner).retain(|(at, task, property, limit)| {
                let is_due = *at <= now;
                if is_due {
                    passed.push((task.clone(), *property, *limit));
                }
                !is_due && task.strong_count() > 0
            });
            for (task, property, limit) in passed {
                if let Some(task) = task.upgrade() {
                    task.late(property, limit);
                }
            }
            self.stalled(now);
        }
    }

    /// A task goes on, on a thread: its number as the system has it.
    pub fn polled(&self, task: Weak<Task>, thread: u32) {
        let mut polled = self.polled.lock().unwrap_or_else(PoisonError::into_inner);
        polled.push((task, Instant::now(), thread, None));
    }

    /// It has suspended.
    pub fn suspended(&self, task: &Task) {
        let mut polled = self.polled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = polled.iter().position(|(other, ..)| std::ptr::eq(other.as_ptr(), task)) {
            polled.swap_remove(at);
        }
    }

    fn stalled(&self, now: Instant) {
        let mut found = Vec::new();
        let mut polled = self.polled.lock().unwrap_or_else(PoisonError::into_inner);
        polled.retain_mut(|(task, since, thread, used)| {
            let time = now.duration_since(*since);
            if time < STALL / 5 {
                return task.strong_count() > 0;
            }
            let Some((asleep, cpu)) = thread_state(*thread) else { return task.strong_count() > 0 };
            let first = *used.get_or_insert(cpu);
            // A thread that wants to run and is not let is not to blame. A tick of the clock is 10 ms.
            let busy = cpu.saturating_sub(first) >= 5;
            let for_good = time >= 10 * STALL;
            if time >= STALL && (asleep || busy) {
                found.push((task.clone(), for_good));
            }
            !for_good && task.strong_count() > 0
        });
        drop(polled);
        for (task, for_good) in found {
            if let Some(task) = task.upgrade() {
                task.stalled(for_good);
            }
        }
    }
}

/// Whether a thread sleeps, and how many ticks it has used.
fn thread_state(thread: u32) -> Option<(bool, u64)> {
    let text = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(") ")?;
    let mut words = rest.split(' ');
    let asleep = matches!(words.next()?, "S" | "D");
    let user: u64 = words.nth(10)?.parse().ok()?;
    let system: u64 = words.next()?.parse().ok()?;
    Some((asleep, user + system))
}

thread_local! {
    static THREAD: u32 = std::fs::read_link("/proc/thread-self")
        .ok()
        .and_then(|path| path.file_name()?.to_str()?.parse().ok())
        .unwrap_or_default();
}

/// The number of this thread, as the system has it; 0 where it has none.
pub(crate) fn thread() -> u32 {
    THREAD.try_with(|thread| *thread).unwrap_or_default()
}
