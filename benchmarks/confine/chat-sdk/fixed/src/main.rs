//! A messenger: a login, a field for text, threads with pictures.
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use gtk4::prelude::ButtonExt;
use gtk4::{Button, Label, gdk};
use rxrust::prelude::*;

#[path = "../../../ui.rs"]
mod ui;
use ui::Ui;

#[derive(Clone, Debug)]
struct Refused;

struct Network;

impl Network {
    fn authenticate(&self) -> SharedBoxedObservable<'static, u64, Refused> {
        Shared::of(7).map_err(|_: Infallible| Refused).subscribe_on(SharedScheduler).box_it()
    }

    fn anonymous(&self) -> SharedBoxedObservable<'static, u64, Refused> {
        let future = async { Ok::<u64, Refused>(7) };
        Shared::from_future_result(future).box_it()
    }
}

struct Login {
    network: Arc<Network>,
}

impl Login {
    /// K1, after LoginActivity:165.
    fn with_password(&self) {
        let attempt = self.network.authenticate();
        let attempt = attempt.observe_on(Ui);
        attempt.on_error(|_| ()).subscribe(|user| {
            let _name = Label::new(Some(&user.to_string()));
        });
    }

    /// K1, after LoginActivity:173: the error, too, comes from where it happened.
    fn as_guest(&self) {
        self.network
            .anonymous()
            .observe_on(Ui)
            .on_error(|_| drop(gdk::Display::default()))
            .subscribe(|_| ());
    }

    /// K4, after LoginActivity:181: what is done at the end.
    fn again(&self) {
        let attempt = self.network.authenticate().on_error(|_| ());
        let attempt = attempt.observe_on(Ui).on_complete(|| drop(gdk::Display::default()));
        attempt.subscribe(|_| ());
    }
}

/// K2, after TextInputView:98: who types less often than a second moves the stream away once more.
fn show_typing() {
    let letters = Shared::from_iter("hello".chars());
    let (window, quiet) = (Ui, Duration::from_secs(1));
    let calm = letters.debounce(quiet).observe_on(window);
    calm.subscribe(|letter| {
        let _typing = Label::new(Some(&letter.to_string()));
    });
}

/// K4, after ThreadImageBuilder:41: a picture is made for the window before the stream is there.
fn show_pictures() {
    Shared::from_iter(["a", "b"])
        .subscribe_on(SharedScheduler)
        .observe_on(Ui)
        .map(|name| Label::new(Some(name)))
        .filter_map(|_| Some(1))
        .subscribe(|_| ());
}

/// K4, after ChatActivity:667: whatever happens, the bar goes away at the end.
fn send(text: &'static str) {
    Shared::of(text)
        .subscribe_on(SharedScheduler)
        .observe_on(Ui)
        .finalize(|| drop(gdk::Display::default()))
        .subscribe(|_| ());
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let entered = runtime.enter();
    let login = Login { network: Arc::new(Network) };
    let button = Button::new();
    button.connect_clicked(move |_| {
        login.with_password();
        login.as_guest();
        login.again();
        show_typing();
        show_pictures();
        send("hello");
    });
    drop(entered);
}
