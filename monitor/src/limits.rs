//! A thread that looks at the clock: limits that have passed, and tasks that keep their threads.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::report::Watch;
use crate::task::Task;

const ROUND: Duration = Duration::from_millis(5);
/// A task that keeps its thread for longer stalls others.
const STALL: Duration = Duration::from_millis(100);

/// A limit that has begun for a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Begun {
    /// When it passes.
    pub due: Instant,
    pub property: u16,
    /// Which of the property's.
    pub limit: u16,
}

/// The limits that have begun, the next one first, and for whom. Whoever meets a limit, or is gone, takes it away.
#[derive(Default)]
pub(crate) struct Limits(Mutex<BTreeMap<(Begun, usize), Weak<Task>>>);

impl Limits {
    fn all(&self) -> MutexGuard<'_, BTreeMap<(Begun, usize), Weak<Task>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A limit begins for a task.
    pub fn begin(&self, begun: Begun, task: &Arc<Task>) {
        self.all().insert((begun, address(task)), Arc::downgrade(task));
    }

    /// A limit was met, or its task is gone.
    pub fn end(&self, begun: Begun, task: &Task) {
        self.all().remove(&(begun, address(task)));
    }

    /// Takes those that have passed.
    fn passed(&self, now: Instant) -> Vec<(Begun, Weak<Task>)> {
        let mut all = self.all();
        let mut passed = Vec::new();
        while let Some(first) = all.first_entry().filter(|first| first.key().0.due <= now) {
            let ((begun, _), task) = first.remove_entry();
            passed.push((begun, task));
        }
        passed
    }
}

/// Looks at the clock, and at all that is due, time and again.
pub(crate) fn look(watch: &Watch) {
    loop {
        std::thread::sleep(ROUND);
        let now = Instant::now();
        watch.tick(now);
        for (begun, task) in watch.limits.passed(now) {
            if let Some(task) = task.upgrade() {
                task.late(begun);
            }
        }
        stalled(now);
    }
}

fn address(task: &Task) -> usize {
    std::ptr::from_ref(task).addr()
}

/// A task that is polled.
pub(crate) struct Polled {
    task: Weak<Task>,
    /// Since when, as far as anybody looked, and how much its thread had used then: whoever polls has no time to look at the clock.
    seen: Option<(Instant, u64)>,
}

/// A thread that polls tasks.
struct Slot {
    /// Its number, as the system has it; 0 where it has none.
    thread: u32,
    polled: Mutex<Option<Polled>>,
}

impl Slot {
    fn polled(&self) -> MutexGuard<'_, Option<Polled>> {
        self.polled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// All threads that poll tasks; they go when they end.
static SLOTS: Mutex<Vec<Weak<Slot>>> = Mutex::new(Vec::new());

thread_local! {
    static SLOT: Arc<Slot> = {
        let path = std::fs::read_link("/proc/thread-self").ok();
        let number = path.and_then(|path| path.file_name()?.to_str()?.parse().ok());
        let slot = Arc::new(Slot { thread: number.unwrap_or_default(), polled: Mutex::new(None) });
        SLOTS.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&slot));
        slot
    };
}

/// This thread goes on with a task; returns what it was at.
pub(crate) fn polled(task: &Arc<Task>) -> Option<Polled> {
    let polled = Polled { task: Arc::downgrade(task), seen: None };
    SLOT.try_with(|slot| slot.polled().replace(polled)).ok().flatten()
}

/// This thread is back at what it was at.
pub(crate) fn suspended(outer: Option<Polled>) {
    let inner = SLOT.try_with(|slot| std::mem::replace(&mut *slot.polled(), outer));
    drop(inner);
}

/// Tells of tasks that keep their threads.
fn stalled(now: Instant) {
    let mut slots = Vec::new();
    SLOTS.lock().unwrap_or_else(PoisonError::into_inner).retain(|slot| {
        slots.extend(slot.upgrade());
        slot.strong_count() > 0
    });
    for slot in slots {
        let mut polled = slot.polled();
        let Some(Polled { task, seen }) = &mut *polled else { continue };
        let since = seen.map(|(since, _)| since);
        // Most are not there any more when they are looked at again.
        if since.is_some_and(|since| now.saturating_duration_since(since) < STALL / 5) {
            continue;
        }
        let Some((asleep, cpu)) = thread_state(slot.thread) else { continue };
        let (since, first) = *seen.get_or_insert((now, cpu));
        let time = now.saturating_duration_since(since);
        // A thread that wants to run and is not let is not to blame. A tick of the clock is 10 ms.
        let busy = cpu.saturating_sub(first) >= 5;
        let for_good = time >= 10 * STALL;
        let task = (time >= STALL && (asleep || busy)).then(|| task.upgrade()).flatten();
        if for_good && task.is_some() {
            *polled = None;
        }
        drop(polled);
        if let Some(task) = task {
            task.stalled(for_good);
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
