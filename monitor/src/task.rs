//! Tasks, and what happens to them.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::panic::Location;
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use crate::atoms::{ALIVE, Atoms, ENDED, Event, FALLIBLE, LAUNCH, OWNED, POOL, RUNNING};
use crate::limits::thread;
use crate::report::{Watch, watch};
use crate::table::Now;
use crate::waker::Passing;

thread_local! {
    static CURRENT: Cell<Option<Place>> = const { Cell::new(None) };
}

/// A place in the source.
type Place = &'static Location<'static>;

/// A task that is watched.
pub struct Task {
    watch: &'static Watch,
    place: Place,
    /// Where the task was started that started it.
    by: Option<Place>,
    site: &'static str,
    fixed: Atoms,
    own: Weak<Task>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    lasting: Atoms,
    /// By property: the state of its table, and whether it was told of.
    states: Box<[(u16, bool)]>,
    /// Limits that have begun: the property, the limit, and when it passes.
    begun: Vec<(usize, usize, Instant)>,
    /// By property of the run: whether the task is counted.
    counted: Vec<usize>,
    resumed: Option<Instant>,
    gone: bool,
    stalled: bool,
}

/// Begins to watch a task. None: nothing is watched.
fn begin(place: Place, fixed: Atoms) -> Option<Arc<Task>> {
    let watch = watch()?;
    // Nothing is known of any place, or there are few.
    let known = if watch.sites.is_empty() { None } else { watch.sites.get(&place.to_string()) };
    let task = Arc::new_cyclic(|own| Task {
        watch,
        by: CURRENT.try_with(Cell::get).ok().flatten(),
        site: known.map_or("", |site| &site.path),
        fixed: fixed | known.map_or(0, |site| site.fixed),
        place,
        own: own.clone(),
        state: Mutex::new(State {
            lasting: ALIVE,
            states: watch.properties.iter().map(|_| (0, false)).collect(),
            ..State::default()
        }),
    });
    task.happens(Event::Spawn);
    Some(task)
}

impl Task {
    /// Something happens.
    pub fn happens(&self, event: Event) {
        self.step(event, None);
    }

    pub(crate) fn late(&self, property: usize, limit: usize) {
        let mut state = self.lock();
        let begun =
            state.begun.iter().position(|(p, l, at)| (*p, *l) == (property, limit) && *at <= Instant::now());
        let Some(begun) = begun else { return };
        state.begun.swap_remove(begun);
        drop(state);
        self.step(Event::Late, Some((property, limit)));
    }

    /// It has kept its thread for long. What panics takes its time to tell, so it is told of when it has suspended, unless it
    /// never does.
    pub(crate) fn stalled(&self, for_good: bool) {
        let mut state = self.lock();
        if state.lasting & RUNNING != 0 {
            state.stalled = !for_good;
            drop(state);
            if for_good {
                self.happens(Event::Stalled);
            }
        }
    }

    /// It is not polled any more.
    fn rests(&self) {
        self.watch.limits.suspended(self);
        if std::mem::take(&mut self.lock().stalled) {
            self.happens(Event::Stalled);
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn step(&self, event: Event, late: Option<(usize, usize)>) {
        let mut state = self.lock();
        self.watch.events.fetch_add(1, Ordering::Relaxed);
        match event {
            Event::Resume => {
                state.lasting |= RUNNING;
                state.resumed = Some(Instant::now());
            }
            Event::Suspend => state.lasting &= !RUNNING,
            Event::Returned | Event::Failed | Event::Panicked | Event::Cancelled => {
                state.lasting = (state.lasting | ENDED) & !(ALIVE | RUNNING);
            }
            _ => {}
        }
        let atoms = self.fixed | state.lasting | event.atoms();
        let mut violated = Vec::new();
        for (number, property) in self.watch.properties.iter().enumerate() {
            let late = late.filter(|(of, _)| *of == number).map(|(_, limit)| limit);
            let mut now = Now { atoms, site: self.site, late, counted: 0 };
            if !property.of_task {
                let counts = property.counts(&now);
                let was = state.counted.contains(&number);
                let mut run = self.watch.runs[number].lock().unwrap_or_else(PoisonError::into_inner);
                match (was, counts) {
                    (false, true) => {
                        state.counted.push(number);
                        run.1 += 1;
                    }
                    (true, false) => {
                        state.counted.retain(|of| *of != number);
                        run.1 = run.1.saturating_sub(1);
                    }
                    _ => {}
                }
                now.counted = run.1;
                let old = run.0;
                run.0 = property.states[usize::from(old)].next[property.letter(&now)];
                if old != run.0 && property.states[usize::from(run.0)].verdict == b'F' {
                    violated.push((number, Event::Elsewhere));
                }
                continue;
            }
            let letter = property.letter(&now);
            let (at, told) = state.states[number];
            let at = property.states[usize::from(at)].next[letter];
            for (limit_number, limit) in property.limits.iter().enumerate() {
                let begun = state.begun.iter().position(|(p, l, _)| (*p, *l) == (number, limit_number));
                match (begun, limit.from[letter], limit.to[letter]) {
                    (Some(begun), _, true) => _ = state.begun.swap_remove(begun),
                    (None, true, false) => {
                        let due = Instant::now() + limit.time;
                        state.begun.push((number, limit_number, due));
                        self.watch.limits.begin(due, self.own.clone(), number, limit_number);
                    }
                    _ => {}
                }
            }
            let is_violated = property.states[usize::from(at)].verdict == b'F' && property.concerns(&now);
            if is_violated && !told {
                violated.push((number, event));
            }
            state.states[number] = (at, told || is_violated);
        }
        let resumed = state.resumed;
        drop(state);
        for (number, event) in violated {
            self.tell(number, event.shown(), resumed);
        }
    }

    /// Nothing happens to it any more.
    fn close(&self) {
        let mut state = self.lock();
        if state.gone {
            return;
        }
        state.gone = true;
        let atoms = self.fixed | state.lasting;
        let mut violated = Vec::new();
        for (number, property) in
            self.watch.properties.iter().enumerate().filter(|(_, property)| property.of_task)
        {
            let now = Now { atoms, site: self.site, late: None, counted: 0 };
            let (at, told) = state.states[number];
            let letter = property.letter(&now) & !property.events;
            let state = &property.states[usize::from(at)];
            if !told && state.verdict == b'?' && !state.closing[letter] && property.concerns(&now) {
                violated.push(number);
            }
        }
        let resumed = state.resumed;
        drop(state);
        for number in violated {
            self.tell(number, "is gone, and did not do what it had to", resumed);
        }
    }

    fn tell(&self, property: usize, what: &str, resumed: Option<Instant>) {
        let mut more = Vec::new();
        if let Some(by) = &self.by {
            more.push(format!("started   in the task of {by}"));
        }
        if let Some(resumed) = resumed {
            more.push(format!("last resumed {} ms ago", resumed.elapsed().as_millis()));
        }
        self.watch.tell(property, &self.place.to_string(), what, &more);
    }

    fn has_ended(&self) -> bool {
        self.lock().lasting & ENDED != 0
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.close();
    }
}

/// What becomes of a task when the code that it runs is gone.
pub struct End {
    task: Option<Arc<Task>>,
    done: bool,
}

impl Drop for End {
    fn drop(&mut self) {
        let Some(task) = self.task.as_ref().filter(|_| !self.done) else { return };
        task.watch.limits.suspended(task);
        let panics = std::thread::panicking() && task.lock().lasting & RUNNING != 0;
        task.happens(if panics { Event::Panicked } else { Event::Cancelled });
    }
}

impl End {
    fn returned<T>(&mut self, output: &T) {
        self.done = true;
        if let Some(task) = &self.task {
            task.happens(if is_error(output) { Event::Failed } else { Event::Returned });
        }
    }
}

/// Whether a type is a `Result`.
fn is_result<T>() -> bool {
    std::any::type_name::<T>().starts_with("core::result::Result<")
}

/// Whether a value is an `Err`.
fn is_error<T>(output: &T) -> bool {
    is_result::<T>() && format!("{:?}", std::mem::discriminant(output)).ends_with("(1)")
}

/// Who may wait for a task.
pub struct Handle {
    task: Option<Arc<Task>>,
    joined: bool,
}

impl Handle {
    /// Somebody got the task's result.
    pub fn joined(&mut self) {
        self.joined = true;
        self.happens(Event::Joined);
    }

    /// The task is told to end.
    pub fn abort(&self) {
        self.happens(Event::Abort);
        self.happens(Event::Unneeded);
    }

    /// Its set is gone, or has let go of it.
    pub fn settle(&mut self) {
        self.joined = true;
    }

    /// The set that kept it is dropped, which ends the task.
    pub fn dropped_with_set(&mut self) {
        if let Some(task) = self.task.as_ref().filter(|_| !self.joined) {
            task.happens(if task.has_ended() { Event::Lost } else { Event::Abort });
        }
        self.joined = true;
    }

    /// One more, for somebody who may end the task but not wait for it.
    pub fn other(&self) -> Handle {
        Handle { task: self.task.clone(), joined: true }
    }

    fn happens(&self, event: Event) {
        if let Some(task) = &self.task {
            task.happens(event);
        }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let Some(task) = self.task.as_ref().filter(|_| !self.joined) else { return };
        if task.has_ended() {
            task.happens(Event::Lost);
            return;
        }
        task.happens(Event::Detached);
        if task.fixed & OWNED != 0 && task.fixed & LAUNCH == 0 {
            task.happens(Event::OwnerGone);
            task.happens(Event::Unneeded);
        }
    }
}

/// Begins to watch a future that is about to be started; runs as that.
pub fn run_future<F: Future>(place: Place, future: F) -> (impl Future<Output = F::Output> + use<F>, Handle) {
    let fixed = if is_result::<F::Output>() { FALLIBLE } else { 0 };
    let task = begin(place, fixed);
    let handle = Handle { task: task.clone(), joined: false };
    (watched(End { task, done: false }, future), handle)
}

async fn watched<F: Future>(mut end: End, future: F) -> F::Output {
    let mut future = pin!(future);
    let Some(task) = end.task.clone() else { return future.await };
    let passing = Passing::new();
    let output = poll_fn(|cx| {
        task.happens(Event::Resume);
        task.watch.limits.polled(Arc::downgrade(&task), thread());
        let outer = CURRENT.try_with(|current| current.replace(Some(task.place))).ok().flatten();
        passing.to(cx.waker());
        let waker = Waker::from(Arc::clone(&passing));
        let result = future.as_mut().poll(&mut Context::from_waker(&waker));
        drop(waker);
        _ = CURRENT.try_with(|current| current.replace(outer));
        task.rests();
        if result.is_pending() {
            task.happens(Event::Suspend);
            if passing.is_forgotten() {
                task.happens(Event::Unwakeable);
            }
        }
        match result {
            Poll::Ready(output) => Poll::Ready(output),
            Poll::Pending => Poll::Pending,
        }
    })
    .await;
    end.returned(&output);
    output
}

/// Begins to watch a function that is about to be run on a thread of its own; runs as that.
pub fn run_blocking<T>(place: Place, run: impl FnOnce() -> T) -> (impl FnOnce() -> T, Handle) {
    let fixed = POOL | if is_result::<T>() { FALLIBLE } else { 0 };
    let task = begin(place, fixed);
    let handle = Handle { task: task.clone(), joined: false };
    let mut end = End { task, done: false };
    let run = move || {
        if let Some(task) = &end.task {
            task.happens(Event::Resume);
        }
        let output = run();
        end.returned(&output);
        output
    };
    (run, handle)
}
