//! K5, several streams of which one was not moved; K6, where a stream goes is chosen elsewhere.
use std::time::Duration;

use gtk4::{Label, gdk, glib};
use rxrust::prelude::*;
use rxrust::scheduler::{Schedulable, Scheduler, SleepProvider, TaskHandle};

use crate::ui::Ui;
use crate::{Stream, receipts};

fn taxes() -> Stream<u32> {
    Shared::from_iter([7, 19]).subscribe_on(SharedScheduler).box_it()
}

/// K5: taxes come from where they are read.
fn show_both() {
    let taxes = taxes();
    receipts().observe_on(Ui).merge(taxes).subscribe(|sum| {
        let _sum = Label::new(Some(&sum.to_string())); //~ OFFENCE K5
    });
}

fn show_sums() {
    let prices = receipts().observe_on(Ui);
    let taxes = taxes();
    prices
        .combine_latest(taxes, |price, tax| {
            let _ = gdk::Display::default(); //~ OFFENCE K5
            price + tax
        })
        .subscribe(|_| ());
}

fn show_pairs() {
    let pairs = receipts().zip(taxes().observe_on(Ui));
    pairs.subscribe(|(price, tax)| {
        let _pair = Label::new(Some(&format!("{price} {tax}"))); //~ OFFENCE K5
    });
}

/// K6: where tasks go, as settings have it.
#[derive(Clone, Copy)]
enum Where {
    Window,
    Worker,
}

impl Default for Where {
    fn default() -> Self {
        Where::Window
    }
}

impl SleepProvider for Where {
    type SleepFuture = std::future::Ready<()>;

    fn sleep(&self, _: Duration) -> Self::SleepFuture {
        std::future::ready(())
    }
}

impl<S> Scheduler<S> for Where
where
    S: Schedulable<Where> + 'static,
    S::Future: Send + 'static,
{
    fn schedule(&self, source: S, _: Option<Duration>) -> TaskHandle {
        let task = source.into_future(self);
        match self {
            Where::Window => drop(glib::idle_add_once(|| glib::spawn_future(task))),
            Where::Worker => drop(tokio::spawn(async move { task.await })),
        }
        TaskHandle::finished()
    }
}

fn show_where(chosen: Where) {
    receipts().observe_on(chosen).subscribe(|receipt| {
        let _receipt = Label::new(Some(&receipt.to_string())); //~ OFFENCE K6
    });
}

/// K6: the schedulers of a screen, so that tests can replace them.
struct Schedulers<W, U> {
    work: W,
    window: U,
}

fn show_report<W, U>(schedulers: Schedulers<W, U>)
where
    W: Moves + 'static,
    U: Moves + 'static,
{
    let read = schedulers.work.moved(Shared::of(3u32).box_it());
    let shown = schedulers.work.moved(read);
    let _ = schedulers.window;
    shown.subscribe(|page| {
        let _page = Label::new(Some(&page.to_string())); //~ OFFENCE K6
    });
}

/// What can move a stream.
trait Moves {
    fn moved(&self, stream: Stream<u32>) -> Stream<u32>;
}

impl Moves for Ui {
    fn moved(&self, stream: Stream<u32>) -> Stream<u32> {
        stream.observe_on(*self).box_it()
    }
}

impl Moves for SharedScheduler {
    fn moved(&self, stream: Stream<u32>) -> Stream<u32> {
        stream.observe_on(*self).box_it()
    }
}

pub fn open() {
    show_both();
    show_sums();
    show_pairs();
    show_where(Where::Window);
    show_where(Where::Worker);
    show_report(Schedulers { work: SharedScheduler, window: Ui });
}
