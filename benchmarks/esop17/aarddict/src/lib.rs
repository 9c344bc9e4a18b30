//! A dictionary, after the application `aarddict` of the ESOP 2017 artifact: its handlers, the tasks behind them, the fields they
//! share and the order in which they touch them.

mod background;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

/// The service that holds the dictionaries.
#[derive(Default)]
pub struct Service {
    file_names: Mutex<BTreeSet<String>>,
    library: Mutex<Vec<String>>,
}

impl Service {
    /// Opens the dictionaries that were found before. In the artifact there are none.
    fn open(&self) {
        println!("opening {} dictionaries", self.file_names.lock().unwrap().len());
    }

    /// The same where there are some.
    fn open_known(&self) {
        let names = self.file_names.lock().unwrap().clone();
        self.library.lock().unwrap().extend(names);
    }

    /// Looks for dictionaries on the card. In the artifact ("no dictionaries stubbed") there are none.
    fn refresh(&self) {
        println!("{} dictionaries were known before", self.file_names.lock().unwrap().len());
    }

    /// The same with a card that has one.
    fn refresh_found(&self) {
        self.file_names.lock().unwrap().insert("found".to_owned());
        self.library.lock().unwrap().push("found".to_owned());
    }

    fn is_empty(&self) -> bool {
        self.library.lock().unwrap().is_empty()
    }

    fn lookup(&self, word: &str) -> Vec<String> {
        self.library.lock().unwrap().iter().map(|name| format!("{word} in {name}")).collect()
    }

    fn names(&self) -> Vec<String> {
        self.library.lock().unwrap().clone()
    }
}

/// The activity in which words are looked up.
#[derive(Default)]
pub struct Lookup {
    edit_text: Mutex<String>,
    service: Mutex<Option<Arc<Service>>>,
    list: Mutex<Vec<String>>,
}

impl Lookup {
    /// The activity is created: the system connects it with the service later.
    pub fn on_create(self: Arc<Self>, service: Arc<Service>) {
        self.edit_text.lock().unwrap().clear();
        background::post(async move { self.connected(service) });
    }

    /// On the UI thread: the service is there.
    fn connected(&self, service: Arc<Service>) {
        *self.service.lock().unwrap() = Some(service.clone());
        if service.is_empty() {
            background::run(move || service.open(), |()| {});
        }
    }

    /// The user types.
    pub fn on_type(self: Arc<Self>, text: &str) {
        *self.edit_text.lock().unwrap() = text.to_owned();
    }

    /// The text changed: looks the word up.
    pub fn on_text_changed(self: Arc<Self>) {
        let word = self.edit_text.lock().unwrap().clone();
        let (worker, ui) = (self.clone(), self);
        background::run(move || worker.look_up(&word), move |entries| ui.found(entries));
    }

    /// In the background.
    fn look_up(&self, word: &str) -> Option<Vec<String>> {
        if *self.edit_text.lock().unwrap() != word {
            return None;
        }
        let service = self.service.lock().unwrap().clone()?;
        Some(service.lookup(word))
    }

    /// Back on the UI thread.
    fn found(&self, entries: Option<Vec<String>>) {
        if let Some(entries) = entries {
            *self.list.lock().unwrap() = entries;
        }
    }

    /// What the list shows.
    pub fn rows(&self) -> Vec<String> {
        self.list.lock().unwrap().clone()
    }
}

/// The activity that shows the dictionaries.
#[derive(Default)]
pub struct Dictionaries {
    service: Mutex<Option<Arc<Service>>>,
    list: Mutex<Vec<String>>,
}

impl Dictionaries {
    /// The activity is created: the system connects it with the service later.
    pub fn on_create(self: Arc<Self>, service: Arc<Service>) {
        background::post(async move {
            *self.service.lock().unwrap() = Some(service.clone());
            if service.is_empty() {
                background::run(move || service.open(), |()| {});
            }
        });
    }

    /// The same where dictionaries are known from before.
    pub fn on_create_known(self: Arc<Self>, service: Arc<Service>) {
        background::post(async move {
            *self.service.lock().unwrap() = Some(service.clone());
            if service.is_empty() {
                background::run(move || service.open_known(), |()| {});
            }
        });
    }

    /// The button that looks for dictionaries on the card.
    pub fn on_scan(self: Arc<Self>) {
        let (worker, ui) = (self.clone(), self);
        background::run(move || worker.scan(Service::refresh), move |service| ui.scanned(service));
    }

    /// The same with a dictionary on the card.
    pub fn on_scan_found(self: Arc<Self>) {
        let (worker, ui) = (self.clone(), self);
        background::run(move || worker.scan(Service::refresh_found), move |service| ui.scanned(service));
    }

    /// In the background.
    fn scan(&self, refresh: fn(&Service)) -> Option<Arc<Service>> {
        let service = self.service.lock().unwrap().clone()?;
        refresh(&service);
        Some(service)
    }

    /// Back on the UI thread: shows what there is.
    fn scanned(&self, service: Option<Arc<Service>>) {
        if let Some(service) = service {
            *self.list.lock().unwrap() = service.names();
        }
    }

    /// What the list shows.
    pub fn rows(&self) -> Vec<String> {
        self.list.lock().unwrap().clone()
    }
}
