//! A launcher's settings, after the application `apphangar` of the ESOP 2017 artifact: the handlers behind its two drivers, the
//! tasks behind them, the fields they share and the order in which they touch them.

mod background;

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a list shows.
#[derive(Clone, Default)]
pub struct Adapter {
    rows: Vec<String>,
}

#[derive(Default)]
pub struct Settings {
    icon_pack: Mutex<String>,
    icon_pack_summary: Mutex<String>,
    order: AtomicI32,
    adapter: Mutex<Option<Adapter>>,
    list: Mutex<Vec<String>>,
    loaded: AtomicBool,
}

impl Settings {
    /// The activity is created.
    pub fn on_create(self: Arc<Self>) {
        *self.adapter.lock().unwrap() = Some(Adapter::default());
    }

    /// An icon pack is picked: the icons are loaded by a thread, and the list is drawn anew in a second.
    pub fn on_icon_pack_picked(self: Arc<Self>, name: &str) {
        *self.icon_pack.lock().unwrap() = name.to_owned();
        let worker = self.clone();
        background::run(move || worker.rebuild_adapter(), |()| {});
        let ui = self.clone();
        background::post(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            ui.update_list();
        });
        *self.icon_pack_summary.lock().unwrap() = name.to_owned();
    }

    /// The repaired form: the list is drawn when the icons are loaded.
    pub fn on_icon_pack_applied(self: Arc<Self>, name: &str) {
        *self.icon_pack.lock().unwrap() = name.to_owned();
        let (worker, ui) = (self.clone(), self.clone());
        background::run(move || worker.rebuild_adapter(), move |()| ui.update_list());
        *self.icon_pack_summary.lock().unwrap() = name.to_owned();
    }

    fn rebuild_adapter(&self) {
        let rows = load_icons(&self.icon_pack.lock().unwrap());
        *self.adapter.lock().unwrap() = Some(Adapter { rows });
    }

    fn update_list(&self) {
        self.loaded.store(true, SeqCst);
        let adapter = self.adapter.lock().unwrap().clone();
        *self.list.lock().unwrap() = adapter.unwrap_or_default().rows;
    }

    /// Another order of the list is chosen: a thread builds the list, and then it is drawn.
    pub fn on_order_selected(self: Arc<Self>, order: i32) {
        self.order.store(order, SeqCst);
        let (worker, ui) = (self.clone(), self);
        background::run(move || worker.build_list(), move |()| ui.update_list());
    }

    fn build_list(&self) {
        let order = self.order.load(SeqCst);
        if let Some(adapter) = self.adapter.lock().unwrap().as_mut() {
            adapter.rows = load_icons(&order.to_string());
        }
    }

    /// What the list shows.
    pub fn rows(&self) -> Vec<String> {
        self.list.lock().unwrap().clone()
    }
}

fn load_icons(pack: &str) -> Vec<String> {
    (0..3).map(|number| format!("{pack} {number}")).collect()
}
