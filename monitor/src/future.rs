//! What stands for code that is started: the same, and tells how it goes on.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::atoms::{Event, FALLIBLE, POOL};
use crate::handle::Handle;
use crate::limits::{self, Polled};
use crate::task::{Place, Task};
use crate::waker::Passing;

thread_local! {
    static CURRENT: Cell<Option<Place>> = const { Cell::new(None) };
}

/// Where the task was started that runs on this thread.
pub(crate) fn current() -> Option<Place> {
    CURRENT.try_with(Cell::get).ok().flatten()
}

/// What becomes of a task when the code that it runs is gone.
struct End(Option<Arc<Task>>);

impl Drop for End {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.ends(Event::Cancelled);
        }
    }
}

impl End {
    fn returned<T>(&self, output: &T) {
        if let Some(task) = &self.0 {
            task.ends(if is_error(output) { Event::Failed } else { Event::Returned });
        }
    }
}

/// A task's code runs on this thread, until this is dropped; if it was not done then, it has panicked.
struct Running<'t> {
    task: &'t Arc<Task>,
    outer: Option<Place>,
    done: bool,
}

impl Running<'_> {
    fn begin(task: &Arc<Task>) -> Running<'_> {
        let outer = CURRENT.try_with(|current| current.replace(Some(task.place()))).ok().flatten();
        Running { task, outer, done: false }
    }

    fn done(mut self) {
        self.done = true;
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        _ = CURRENT.try_with(|current| current.replace(self.outer));
        if !self.done {
            self.task.ends(Event::Panicked);
        }
    }
}

/// This thread is looked after, until this is dropped: what is polled must not keep it for long.
struct Polling(Option<Polled>);

impl Drop for Polling {
    fn drop(&mut self) {
        limits::suspended(self.0.take());
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

fn fallible<T>() -> u32 {
    if is_result::<T>() { FALLIBLE } else { 0 }
}

/// A future that is watched.
// The order of the fields is that of their drops: a task has ended when all that it kept is gone.
pub struct Watched<F> {
    // An `async` block around it would need room for it twice: where it is given, and where it is pinned.
    future: Pin<Box<F>>,
    passing: Option<Arc<Passing>>,
    end: End,
}

impl<F: Future> Future for Watched<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let Watched { future, passing, end } = &mut *self;
        let (Some(task), Some(passing)) = (&end.0, passing) else { return future.as_mut().poll(cx) };
        task.resumes();
        let (running, polling) = (Running::begin(task), Polling(limits::polled(task)));
        passing.to(cx.waker());
        let waker = Waker::from(Arc::clone(passing));
        let result = future.as_mut().poll(&mut Context::from_waker(&waker));
        drop(waker);
        drop(polling);
        running.done();
        match &result {
            Poll::Ready(output) => end.returned(output),
            Poll::Pending => task.suspends(|| passing.is_forgotten()),
        }
        result
    }
}

/// Begins to watch a future that is about to be started; runs as that.
pub fn run_future<F: Future>(place: Place, future: F) -> (Watched<F>, Handle) {
    let task = Task::begin(place, fallible::<F::Output>());
    let handle = Handle::new(task.clone());
    let passing = task.as_ref().map(|_| Passing::new());
    (Watched { future: Box::pin(future), passing, end: End(task) }, handle)
}

/// Begins to watch a function that is about to be run on a thread of its own; runs as that.
pub fn run_blocking<T>(place: Place, run: impl FnOnce() -> T) -> (impl FnOnce() -> T, Handle) {
    let task = Task::begin(place, POOL | fallible::<T>());
    let handle = Handle::new(task.clone());
    let end = End(task);
    let run = move || {
        let Some(task) = &end.0 else { return run() };
        task.resumes();
        let running = Running::begin(task);
        let output = run();
        running.done();
        end.returned(&output);
        output
    };
    (run, handle)
}
