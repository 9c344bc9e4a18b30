//! A list of products, read from a file and from the net.
use std::convert::Infallible;
use std::time::Duration;

use gtk4::prelude::ButtonExt;
use gtk4::{Button, Label, gdk};
use rxrust::prelude::*;

#[path = "../../../ui.rs"]
mod ui;
use ui::Ui;

type Products = SharedBoxedObservable<'static, String, Infallible>;

fn history() -> Products {
    Shared::from_iter(["bread", "milk"]).map(String::from).subscribe_on(SharedScheduler).box_it()
}

/// K2: a stream that is moved to the window, and then waits elsewhere.
fn show_history() {
    let there = history().delay(Duration::from_millis(50)).box_it();
    let later = there.observe_on(Ui);
    later.subscribe(|product| {
        let _entry = Label::new(Some(&product));
    });
}

/// K2: it is read again when it failed to be read, some time later.
fn show_allergens() {
    let gathered = history().buffer_time(Duration::from_millis(200)).observe_on(Ui);
    gathered.map(|all| all.join(", ")).subscribe(|all| {
        let _all = Label::new(Some(&all));
    });
}

/// K4: that something happens is shown before it does.
fn search(text: &'static str) {
    let found = Shared::of(text).subscribe_on(SharedScheduler);
    let found = found.observe_on(Ui).tap(|_| busy());
    found.subscribe(|_| ());
}

fn busy() {
    let _ = gdk::Display::default();
}

/// K6: where a screen is told is up to whoever makes it.
struct Screen<W> {
    work: W,
}

impl<W> Screen<W>
where
    W: Send + Sync + Clone + 'static,
{
    fn open(&self, show: fn(usize))
    where
        W: Run,
    {
        self.work.run(show);
    }
}

trait Run {
    fn run(&self, show: fn(usize));
}

#[derive(Clone)]
struct OnWindow;

#[derive(Clone)]
struct OnWorkers;

impl Run for OnWindow {
    fn run(&self, show: fn(usize)) {
        Shared::from_iter([1, 2]).observe_on(Ui).subscribe(move |count| show(count));
    }
}

impl Run for OnWorkers {
    fn run(&self, show: fn(usize)) {
        Shared::from_iter([1, 2]).observe_on(SharedScheduler).subscribe(move |count| show(count));
    }
}

fn show_count(count: usize) {
    let _count = Label::new(Some(&count.to_string()));
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let entered = runtime.enter();
    let button = Button::new();
    button.connect_clicked(|_| {
        show_history();
        show_allergens();
        search("bread");
        Screen { work: OnWindow }.open(show_count);
        let _ = OnWorkers;
    });
    drop(entered);
}
