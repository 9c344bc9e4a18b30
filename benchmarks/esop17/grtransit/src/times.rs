//! The activities that show the times of buses.

use std::sync::{Arc, Mutex};

use crate::background;

/// The favourite stops, with the next bus of each.
#[derive(Default)]
pub struct Favourites {
    details: Mutex<Vec<(String, String)>>,
    list: Mutex<Vec<String>>,
}

impl Favourites {
    /// The activity comes to the front: the list is shown, the times are loaded.
    pub fn on_resume(self: Arc<Self>, stops: &[String]) {
        *self.details.lock().unwrap() = stops.iter().map(|stop| (stop.clone(), String::new())).collect();
        let (worker, ui) = (self.clone(), self);
        background::run(move || worker.load_times(), move |()| ui.loaded());
    }

    fn load_times(&self) {
        let mut details = self.details.lock().unwrap();
        for (stop, time) in details.iter_mut() {
            *time = format!("{stop} at noon");
        }
    }

    fn loaded(&self) {
        let details = self.details.lock().unwrap();
        *self.list.lock().unwrap() = details.iter().map(|(_, time)| time.clone()).collect();
    }

    /// What the list shows.
    pub fn rows(&self) -> Vec<String> {
        self.list.lock().unwrap().clone()
    }
}

/// The times of one stop.
#[derive(Default)]
pub struct Times {
    departures: Mutex<Vec<String>>,
    list: Mutex<Vec<String>>,
}

impl Times {
    /// The activity comes to the front: the departures are loaded.
    pub fn on_resume(self: Arc<Self>, stop: String) {
        let (worker, ui) = (self.clone(), self);
        background::run(move || worker.load(&stop), move |()| ui.loaded());
    }

    fn load(&self, stop: &str) {
        *self.departures.lock().unwrap() = (6..9).map(|hour| format!("{stop} at {hour}")).collect();
    }

    fn loaded(&self) {
        let departures = self.departures.lock().unwrap().clone();
        *self.list.lock().unwrap() = departures;
    }

    /// What the list shows.
    pub fn rows(&self) -> Vec<String> {
        self.list.lock().unwrap().clone()
    }
}
