//! A client of a forum: counters in a tab, a presenter that all screens share.
use std::convert::Infallible;
use std::thread;

use gtk4::prelude::ButtonExt;
use gtk4::{Button, Label, gdk};
use rxrust::prelude::*;

#[path = "../../../ui.rs"]
mod ui;
use ui::Ui;

#[derive(Clone, Debug)]
struct Failure(String);

type Screen<T> = SharedBoxedObservable<'static, T, Infallible>;

/// What the server pushes: its own thread tells everybody.
fn counters() -> Screen<u32> {
    let counters = Shared::subject::<u32, Infallible>();
    let mut told = counters.clone();
    thread::spawn(move || {
        for count in 0..3 {
            told.next(count);
        }
    });
    counters.box_it()
}

/// K1, after TabFragment:234.
fn show_counters() {
    let shown = counters()
        .map(|count| format!("{count} new"))
        .filter(|text| !text.is_empty());
    shown.subscribe(|text| {
        let _title = Label::new(Some(&text)); //~ OFFENCE K1
    });
}

/// K1, after BasePresenter:78.
trait Presenter {
    fn shown(&self, text: &str);

    fn present<T: ToString + Send + 'static>(self, stream: Screen<T>)
    where
        Self: Sized + Send + 'static,
    {
        stream.subscribe(move |value| self.shown(&value.to_string()));
    }
}

struct Topic;

impl Presenter for Topic {
    fn shown(&self, text: &str) {
        let _post = Label::new(Some(text)); //~ OFFENCE K1
    }
}

fn show_topic() {
    let pages = Shared::of(1).subscribe_on(SharedScheduler).map(|page: u32| format!("page {page}"));
    Topic.present(pages.box_it());
}

/// What can fail, in the background.
fn posts() -> SharedBoxedObservable<'static, String, Failure> {
    let posts = Shared::create(|emitter: &mut dyn rxrust::observer::Emitter<String, Failure>| {
        emitter.next("first".into());
        emitter.error(Failure("closed".into()));
    });
    posts.subscribe_on(SharedScheduler).box_it()
}

/// K4: the error is shown in front of the change to the thread of the window.
fn show_posts() {
    posts()
        .on_error(|failure| {
            let _toast = Label::new(Some(&failure.0)); //~ OFFENCE K4
        })
        .observe_on(Ui)
        .subscribe(|post| {
            let _post = Label::new(Some(&post));
        });
}

/// K4: so is the progress.
fn show_progress() {
    posts()
        .tap(|_| drop(gdk::Display::default())) //~ OFFENCE K4
        .on_error(|_| ())
        .observe_on(Ui)
        .subscribe(|post| {
            let _post = Label::new(Some(&post));
        });
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let entered = runtime.enter();
    let button = Button::new();
    button.connect_clicked(|_| {
        show_counters();
        show_topic();
        show_posts();
        show_progress();
    });
    drop(entered);
}
