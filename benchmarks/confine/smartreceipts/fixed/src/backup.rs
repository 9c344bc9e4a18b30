//! K3: what streams within streams tell comes from where these do.
use std::time::Duration;

use gtk4::{Label, gdk};
use rxrust::prelude::*;

use crate::ui::Ui;
use crate::{Receipt, Stream, receipts};

struct Drive;

impl Drive {
    fn upload(&self, receipt: Receipt) -> Stream<String> {
        let name = format!("receipt {receipt}");
        Shared::of(name).delay(Duration::from_millis(20)).box_it()
    }

    fn folders(&self) -> Stream<&'static str> {
        Shared::from_iter(["trips", "taxes"]).subscribe_on(SharedScheduler).box_it()
    }
}

fn show_uploads(drive: &'static Drive) {
    receipts()
        .flat_map(|receipt| drive.upload(receipt))
        .observe_on(Ui)
        .subscribe(|name| {
            let _uploaded = Label::new(Some(&name));
        });
}

/// The last one that was asked for.
fn show_latest(drive: &'static Drive) {
    let asked = Shared::from_iter(0..2);
    let latest = asked.switch_map(|receipt| drive.upload(receipt)).observe_on(Ui);
    latest.subscribe(|name| {
        let _latest = Label::new(Some(&name));
    });
}

/// One after the other, and a function that is given as it is.
fn in_turn(receipt: Receipt) -> Stream<u64> {
    let rounds = Shared::interval(Duration::from_secs(1)).map(move |round| (round + receipt as usize) as u64);
    rounds.observe_on(Ui).box_it()
}

fn show_rounds() {
    receipts().observe_on(Ui).concat_map(in_turn).subscribe(|round| {
        let _round = Label::new(Some(&round.to_string()));
    });
}

/// A stream that is made when somebody subscribes.
fn show_folders(drive: &'static Drive) {
    Shared::defer(|| drive.folders())
        .observe_on(Ui)
        .subscribe(|_| {
            let _folder = gdk::Display::default();
        });
}

pub fn open() {
    static DRIVE: Drive = Drive;
    show_uploads(&DRIVE);
    show_latest(&DRIVE);
    show_rounds();
    show_folders(&DRIVE);
}
