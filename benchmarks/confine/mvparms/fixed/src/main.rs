//! A list of users.
use gtk4::prelude::ButtonExt;
use gtk4::{Button, Label};
use rxrust::prelude::*;

#[path = "../../../ui.rs"]
mod ui;
use ui::Ui;

/// K1: what is read in the background is shown as it comes.
fn show_users() {
    Shared::from_iter(["ada", "grace"])
        .subscribe_on(SharedScheduler)
        .observe_on(Ui)
        .subscribe(|name| {
            let _user = Label::new(Some(name));
        });
}

/// UserItemHolder:61: there is nothing wrong with this, be there an `observe_on` or not. The handler subscribes on the thread of
/// the window, and what is told at once is told there.
fn show_user(name: &'static str) {
    Shared::of(name).subscribe(|name| {
        let _user = Label::new(Some(name));
    });
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let entered = runtime.enter();
    let button = Button::new();
    button.connect_clicked(|_| {
        show_users();
        show_user("ada");
        let _ = Shared::of(1).observe_on(Ui);
    });
    drop(entered);
}
