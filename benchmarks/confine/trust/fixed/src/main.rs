//! A wallet: transactions are fetched again and again.
use std::time::Duration;

use gtk4::prelude::ButtonExt;
use gtk4::{Button, Label};
use rxrust::prelude::*;

#[path = "../../../ui.rs"]
mod ui;
use ui::Ui;

struct Wallet {
    every: Duration,
}

impl Wallet {
    /// K2, after TransactionsViewModel:115: what comes from time to time comes from where time is kept.
    fn balance(&self) {
        let every = self.every;
        let balance = Shared::interval(every).delay(every).observe_on(Ui);
        balance.map(|round| round * 2).subscribe(|sum| {
            let _balance = Label::new(Some(&sum.to_string()));
        });
    }

    /// K2, after TransactionsViewModel:123.
    fn transactions(&self) {
        let fetched = Shared::from_iter(0..3).subscribe_on(SharedScheduler);
        let calm = fetched.throttle_time(self.every, ThrottleEdge::trailing()).observe_on(Ui);
        calm.subscribe(|number| {
            let _entry = Label::new(Some(&number.to_string()));
        });
    }
}

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let entered = runtime.enter();
    let wallet = Wallet { every: Duration::from_secs(5) };
    let button = Button::new();
    button.connect_clicked(move |_| {
        wallet.balance();
        wallet.transactions();
    });
    drop(entered);
}
