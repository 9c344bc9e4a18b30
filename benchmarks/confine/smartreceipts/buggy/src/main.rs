//! Receipts: trips, a backup, purchases, reports.
use std::convert::Infallible;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use gtk4::prelude::ButtonExt;
use gtk4::{Button, Label, gdk};
use rxrust::observer::Emitter;
use rxrust::prelude::*;

#[path = "../../../ui.rs"]
mod ui;

mod backup;
mod reports;


/// A receipt.
pub type Receipt = u32;
pub type Stream<T> = SharedBoxedObservable<'static, T, Infallible>;

/// The receipts of a trip, from the database.
pub fn receipts() -> Stream<Receipt> {
    Shared::from_iter(0..3).subscribe_on(SharedScheduler).box_it()
}

/// K1: the list.
fn show_list() {
    let list = receipts();
    list.subscribe(|receipt| {
        let _entry = Label::new(Some(&receipt.to_string())); //~ OFFENCE K1
    });
}

/// K1: how many there are is known at the end.
fn show_count() {
    receipts()
        .count()
        .subscribe(|count| {
            let _count = Label::new(Some(&count.to_string())); //~ OFFENCE K1
        });
}

/// K1: the end of it, told by whoever tells the last value.
fn show_done() {
    receipts()
        .take(2)
        .on_complete(|| {
            let _done = gdk::Display::default(); //~ OFFENCE K1
        })
        .subscribe(|_| ());
}

/// K1: a camera tells from a thread of its own what it sees.
fn scan() {
    let seen = Shared::create(|emitter: &mut dyn Emitter<Receipt, Infallible>| {
        emitter.next(1);
        emitter.complete();
    });
    thread::spawn(move || {
        seen
            .subscribe(|receipt| {
                let _scanned = Label::new(Some(&receipt.to_string())); //~ OFFENCE K1
            })
    });
}

/// K1: a screen subscribes with itself.
struct Details;

impl Observer<Receipt, Infallible> for Details {
    fn next(&mut self, receipt: Receipt) {
        let _details = Label::new(Some(&receipt.to_string())); //~ OFFENCE K1
    }

    fn error(self, _: Infallible) {}

    fn complete(self) {}

    fn is_closed(&self) -> bool {
        false
    }
}

fn show_details() {
    receipts().subscribe_with(Details);
}

/// K1: what one screen is told is passed on to others.
struct Bus {
    changes: Stream<Receipt>,
}

fn bus() -> Bus {
    let all = Shared::subject::<Receipt, Infallible>();
    receipts().subscribe_with(all.clone().into_inner());
    Bus { changes: all.box_it() }
}

fn show_changes() {
    let Bus { changes } = bus();
    changes
        .subscribe(|receipt| {
            let _change = Label::new(Some(&receipt.to_string())); //~ OFFENCE K1
        });
}

/// K1: a closure is handed on to whoever subscribes.
fn each_purchase(then: impl FnMut(Receipt) + Send + 'static) {
    let purchases = Shared::timer(Duration::from_millis(5)).map(|_| 3);
    purchases.subscribe(then);
}

fn show_purchases() {
    each_purchase(|receipt| {
        let _bought = Label::new(Some(&receipt.to_string())); //~ OFFENCE K1
    });
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let entered = runtime.enter();
    let open: Arc<dyn Fn() + Send + Sync> = Arc::new(|| {
        show_list();
        show_count();
        show_done();
        scan();
        show_details();
        show_changes();
        show_purchases();
        backup::open();
        reports::open();
    });
    let button = Button::new();
    button.connect_clicked(move |_| open());
    drop(entered);
}
