//! The activity in which stops and routes are searched for.

use std::sync::{Arc, Mutex};

use crate::background;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Kind {
    #[default]
    Stops,
    Routes,
}

#[derive(Default)]
pub struct SearchActivity {
    query: Mutex<Option<String>>,
    kind: Mutex<Kind>,
    cursor: Mutex<Vec<String>>,
    title: Mutex<String>,
    list: Mutex<Vec<String>>,
}

impl SearchActivity {
    /// The text of the field changed: searches for what was searched for last, stops or routes.
    pub fn on_text_changed(self: Arc<Self>, text: &str) {
        *self.query.lock().unwrap() = Some(text.to_owned());
        let kind = *self.kind.lock().unwrap();
        self.search(kind);
    }

    /// The button "stops".
    pub fn on_stops_button(self: Arc<Self>) {
        self.search(Kind::Stops);
    }

    /// The button "routes".
    pub fn on_routes_button(self: Arc<Self>) {
        self.search(Kind::Routes);
    }

    fn search(self: Arc<Self>, kind: Kind) {
        if self.query.lock().unwrap().is_none() {
            return;
        }
        *self.kind.lock().unwrap() = kind;
        let (worker, ui) = (self.clone(), self);
        background::run(move || worker.find(kind), move |()| ui.found(kind));
    }

    /// In the background: asks the database.
    fn find(&self, kind: Kind) {
        let query = self.query.lock().unwrap().clone().unwrap_or_default();
        let rows = (0..3).map(|row| format!("{kind:?} {query} {row}")).collect();
        *self.cursor.lock().unwrap() = rows;
    }

    /// Back on the UI thread: shows what was found.
    fn found(&self, kind: Kind) {
        let query = self.query.lock().unwrap().clone().unwrap_or_default();
        *self.title.lock().unwrap() = format!("{kind:?} matching {query}");
        let rows = self.cursor.lock().unwrap().clone();
        *self.list.lock().unwrap() = rows;
    }

    /// Title and rows of the list.
    pub fn shown(&self) -> (String, Vec<String>) {
        (self.title.lock().unwrap().clone(), self.list.lock().unwrap().clone())
    }
}
