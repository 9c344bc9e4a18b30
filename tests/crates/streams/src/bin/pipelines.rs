//! Ways to hand on streams, schedulers and observers, with rxrust as it is.
use std::collections::HashMap;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use gtk4::prelude::ButtonExt;
use gtk4::{Button, gdk, glib};
use rxrust::prelude::*;
use rxrust::scheduler::{Schedulable, Scheduler, SleepProvider, TaskHandle};

type Numbers = SharedBoxedObservable<'static, u32, Infallible>;
type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

macro_rules! sleeps {
    ($scheduler:ty) => {
        impl SleepProvider for $scheduler {
            type SleepFuture = Ready<()>;

            fn sleep(&self, _: Duration) -> Self::SleepFuture {
                ready(())
            }
        }
    };
}

/// The thread of the window, by way of a closure that holds the task.
#[derive(Clone, Copy, Default)]
struct Window;

sleeps!(Window);

impl<S> Scheduler<S> for Window
where
    S: Schedulable<Window> + Send + 'static,
{
    fn schedule(&self, source: S, _: Option<Duration>) -> TaskHandle {
        let own = *self;
        glib::idle_add_once(move || {
            glib::spawn_future_local(async move { source.into_future(&own).await });
        });
        TaskHandle::finished()
    }
}

/// A thread of its own, which gets its work through a channel.
#[derive(Clone)]
struct Printer {
    work: Arc<Mutex<Sender<Work>>>,
}

impl Default for Printer {
    fn default() -> Self {
        let (sender, receiver) = channel::<Work>();
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            for work in receiver {
                runtime.block_on(work);
            }
        });
        Printer { work: Arc::new(Mutex::new(sender)) }
    }
}

sleeps!(Printer);

impl<S> Scheduler<S> for Printer
where
    S: Schedulable<Printer> + 'static,
    S::Future: Send + 'static,
{
    fn schedule(&self, source: S, _: Option<Duration>) -> TaskHandle {
        let work: Work = Box::pin(source.into_future(self));
        let _ = self.work.lock().unwrap().send(work);
        TaskHandle::finished()
    }
}

/// Streams that are kept.
#[derive(Default)]
struct Feeds {
    latest: Mutex<Option<Numbers>>,
    all: HashMap<&'static str, Numbers>,
    counted: Vec<Numbers>,
}

fn numbers() -> Numbers {
    Shared::from_iter(0..3).box_it()
}

fn background() -> Numbers {
    numbers().observe_on(SharedScheduler).box_it()
}

fn kept() {
    let mut feeds = Feeds::default();
    *feeds.latest.lock().unwrap() = Some(background());
    feeds.all.insert("sums", background());
    feeds.counted.push(background().observe_on(Window).box_it());
    let latest = feeds.latest.lock().unwrap().take();
    if let Some(latest) = latest {
        latest.subscribe(|_| drop(gdk::Display::default())); //~ observer-off-thread
    }
    if let Some(sums) = feeds.all.remove("sums") {
        sums.subscribe(|_| drop(gdk::Display::default())); //~ observer-off-thread
    }
    for counted in feeds.counted {
        counted.subscribe(|_| drop(gdk::Display::default()));
    }
}

/// What the caller's stream is told, its closure is.
fn watch(stream: Numbers, then: Box<dyn FnMut(u32) + Send>) {
    stream.subscribe(then);
}

fn handed_on() {
    watch(background(), Box::new(|_| drop(gdk::Display::default()))); //~ observer-off-thread
    watch(background().observe_on(Window).box_it(), Box::new(|_| drop(gdk::Display::default())));
}

fn printed() {
    let printer = Printer::default();
    background().observe_on(printer.clone()).subscribe(|_| drop(gdk::Display::default())); //~ observer-off-thread
    // It has a thread to itself, and only what else it prints waits.
    background().observe_on(printer).subscribe(|_| thread::sleep(Duration::from_millis(5))); //~ blocking-in-async note
    background().subscribe(|_| thread::sleep(Duration::from_millis(5))); //~ blocking-in-async
    background().observe_on(Window).subscribe(|_| thread::sleep(Duration::from_millis(5))); //~ blocking-on-ui
}

/// Whoever tells a subject decides.
fn told() {
    let subject = Shared::subject::<u32, Infallible>();
    let mut here = subject.clone();
    subject.subscribe(|_| drop(gdk::Display::default()));
    here.next(1);

    let other = Shared::subject::<u32, Infallible>();
    let mut there = other.clone();
    other.subscribe(|_| drop(gdk::Display::default())); //~ observer-off-thread
    thread::spawn(move || there.next(1));

    let moved = Shared::subject::<u32, Infallible>();
    let mut far = moved.clone();
    moved.observe_on(Window).subscribe(|_| drop(gdk::Display::default()));
    thread::spawn(move || far.next(1));
}

/// In turn, from one place to the next.
fn back_and_forth() {
    numbers()
        .tap(|_| drop(gdk::Display::default()))
        .observe_on(SharedScheduler)
        .tap(|_| drop(gdk::Display::default())) //~ observer-off-thread
        .observe_on(Window)
        .tap(|_| drop(gdk::Display::default()))
        .delay(Duration::from_millis(5))
        .tap(|_| drop(gdk::Display::default())) //~ observer-off-thread
        .observe_on(Window)
        .subscribe(|_| drop(gdk::Display::default()));
}

/// Nobody subscribes to it.
fn forgotten() {
    let _ = background().tap(|_| drop(gdk::Display::default()));
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let entered = runtime.enter();
    let button = Button::new();
    button.connect_clicked(|_| {
        kept();
        handed_on();
        printed();
        told();
        back_and_forth();
        forgotten();
    });
    drop(entered);
}
