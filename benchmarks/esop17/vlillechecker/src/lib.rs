//! Stations of a bicycle hire, after the application `vlillechecker` of the ESOP 2017 artifact: its handlers, the background tasks
//! behind them, the fields they share and the order in which they touch them.

mod background;

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

#[derive(Default)]
pub struct Station {
    starred: AtomicBool,
    selected: AtomicBool,
    bikes: AtomicU32,
}

/// What the application knows of all stations.
#[derive(Default)]
pub struct Stations {
    all: Mutex<Vec<Arc<Station>>>,
}

impl Stations {
    /// As many stations as asked for.
    pub fn new(count: usize) -> Self {
        Stations { all: Mutex::new((0..count).map(|_| Arc::default()).collect()) }
    }
}

/// A task that loads the details of stations, and can be told to stop.
#[derive(Default)]
struct Load {
    cancelled: AtomicBool,
}

/// A list of stations: all of them, or the favourites.
#[derive(Default)]
pub struct Fragment {
    stations: Mutex<Vec<Arc<Station>>>,
    task: Mutex<Option<Arc<Load>>>,
}

impl Fragment {
    /// The list of all stations is opened.
    pub fn on_open_all(self: Arc<Self>, stations: Arc<Stations>) {
        *self.stations.lock().unwrap() = stations.all.lock().unwrap().clone();
        self.on_resume();
    }

    /// The list of favourites is opened.
    pub fn on_open_favourites(self: Arc<Self>, stations: Arc<Stations>) {
        let mut favourites = stations.all.lock().unwrap().clone();
        favourites.retain(|station| station.starred.load(SeqCst));
        *self.stations.lock().unwrap() = favourites;
        self.on_resume();
    }

    /// The list comes to the front, or is to be refreshed: loads the details of what it shows.
    pub fn on_resume(self: Arc<Self>) {
        if self.stations.lock().unwrap().is_empty() {
            return;
        }
        self.cancel();
        let task = Arc::new(Load::default());
        *self.task.lock().unwrap() = Some(task.clone());
        background::run(move || self.load(&task), |()| {});
    }

    /// In the background.
    fn load(&self, task: &Load) {
        let shown = self.stations.lock().unwrap().clone();
        for station in shown {
            if task.cancelled.load(SeqCst) {
                return;
            }
            station.bikes.store(fetch(), SeqCst);
        }
    }

    /// Back navigation.
    pub fn on_back_pressed(self: Arc<Self>) {
        self.cancel();
    }

    fn cancel(&self) {
        let task = self.task.lock().unwrap().clone();
        if let Some(task) = task {
            task.cancelled.store(true, SeqCst);
        }
    }

    /// A station is selected.
    pub fn on_click(self: Arc<Self>, index: usize) {
        let stations = self.stations.lock().unwrap();
        for (other, station) in stations.iter().enumerate() {
            station.selected.store(other == index, SeqCst);
        }
    }

    /// The star of a station is clicked: it leaves the list.
    pub fn on_star_clicked(self: Arc<Self>, index: usize) {
        let mut stations = self.stations.lock().unwrap();
        if index < stations.len() {
            let station = stations.remove(index);
            station.starred.fetch_xor(true, SeqCst);
        }
    }

    /// The bicycles of each station of the list.
    pub fn bikes(&self) -> Vec<u32> {
        self.stations.lock().unwrap().iter().map(|station| station.bikes.load(SeqCst)).collect()
    }
}

fn fetch() -> u32 {
    7
}
